"""The same functions behind FastAPI, with the packages that Python has for them.

    TIKTOKEN_CACHE_DIR=... uvicorn app:app

tiktoken fetches its list of ranks unless it is in that folder, under the SHA-1 of its address.
"""
import jsonschema
import tiktoken
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
ENCODING = tiktoken.get_encoding("o200k_base")


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
