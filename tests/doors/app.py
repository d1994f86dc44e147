"""The same functions behind FastAPI, with the packages that Python has for them.

    TIKTOKEN_CACHE_DIR=... uvicorn app:app

tiktoken fetches its list of ranks unless it is in that folder, under the SHA-1 of its address.
"""
import jsonschema
import spacy
import tiktoken
from fastapi import FastAPI
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from pydantic import BaseModel


class WithoutModel(SpacyNlpEngine):
    """The models that find names are in no package, so what is found is what has a form, as in ours."""

    def __init__(self):
        super().__init__()
        self.nlp = {"en": spacy.blank("en")}


app = FastAPI()
ENCODING = tiktoken.get_encoding("o200k_base")
ANALYZER = AnalyzerEngine(nlp_engine=WithoutModel(), supported_languages=["en"])


class Text(BaseModel):
    text: str


@app.post("/token_count")
def token_count(body: Text):
    tokens = len(ENCODING.encode_ordinary(body.text))
    return {"tokens": tokens, "characters": len(body.text), "bytes": len(body.text.encode())}


@app.post("/validation")
def validation(body: dict):
    validator = jsonschema.Draft202012Validator(body["schema"])
    validator.check_schema(body["schema"])
    errors = [
        {"path": error.json_path, "schema_path": list(error.absolute_schema_path), "message": error.message}
        for error in validator.iter_errors(body["output"])
    ]
    return {"valid": not errors, "errors": errors}


@app.post("/pii_redaction")
def pii_redaction(body: dict):
    text, entities = body["text"], []
    for found in sorted(ANALYZER.analyze(text, language="en"), key=lambda found: -found.score):
        if all(found.end <= other["start"] or found.start >= other["end"] for other in entities):
            entities.append({"type": found.entity_type, "start": found.start, "end": found.end, "score": found.score})
    for entity in sorted(entities, key=lambda entity: -entity["start"]):
        text = f"{text[:entity['start']]}<{entity['type']}>{text[entity['end']:]}"
    return {"text": text, "entities": entities}
