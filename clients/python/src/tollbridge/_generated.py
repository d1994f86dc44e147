"""Typed inputs and results. Written by clients/generate.py; changes here are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Mapping, TypedDict, overload

from ._call import Answer

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack


class AgentCardVerifyInput(TypedDict):
    # The agent card as it is published. Give this or `resource_id`.
    card: NotRequired[dict[str, Any] | None]
    # The signer's JWK set (RFC 7517), for example from the address in `jku`: Ed25519 and P-256 keys, at most
    # 16. A signature is tried with the first four that may have made it. Default: no keys, so no signature is
    # verified.
    jwks: NotRequired[AgentCardVerifyInputJwks | None]
    # Id of a stored agent card (`res_…`, JSON). Alone it is checked against the shape of A2A 0.3.0, and its
    # signatures are read but have no key.
    resource_id: NotRequired[str | None]


class AgentCardVerifyInputJwks(TypedDict):
    # The keys.
    keys: list[Any]


class AgentCardVerifyResult(TypedDict):
    faults: list[AgentCardVerifyResultFaultsItem]
    shape_ok: bool
    signatures: list[AgentCardVerifyResultSignaturesItem]
    verified: bool
    warnings: list[AgentCardVerifyResultWarningsItem]


class AgentCardVerifyResultFaultsItem(TypedDict):
    at: str
    message: str


class AgentCardVerifyResultSignaturesItem(TypedDict):
    alg: str | None
    form: Literal["jcs", "sdk03", "sdk1"] | None
    index: int
    jku: str | None
    kid: str | None
    message: str
    status: Literal["valid", "invalid", "no_key", "unsupported", "malformed"]


class AgentCardVerifyResultWarningsItem(TypedDict):
    at: str
    message: str


class AnomalyDetectionInput(TypedDict):
    # generalized_esd only: significance of the test, 1e-9 to 0.5. Default: by `sensitivity`.
    alpha: NotRequired[float | None]
    # CSV only: name or number (from 1) of the column with the values. Default: the last column that is
    # numeric.
    column: NotRequired[str | None]
    # Which side counts. Default: both.
    direction: NotRequired[Literal["both", "high", "low"]]
    # Most anomalies to list, the most extreme first to stay (1 to 2,000; default 500). For generalized_esd
    # also the number of outliers tested for.
    max_anomalies: NotRequired[int | None]
    # How to look. Default: auto.
    method: NotRequired[Literal["auto", "mad", "iqr", "generalized_esd", "seasonal"]]
    # auto and seasonal only: points in one cycle, or "auto" to find it. Default: auto.
    period: NotRequired[int | Literal["auto"] | None]
    # Id of a stored resource (`res_…`) that holds CSV, or JSON of the shape of `values`. This bridge has no
    # other natural key; alone, it means: this file, method auto.
    resource_id: NotRequired[str | None]
    # How much to report when no threshold is given. Default: normal.
    sensitivity: NotRequired[Literal["low", "normal", "high"]]
    # mad, seasonal, auto: robust z-score from which a point is an outlier, 0.1 to 1,000. iqr: multiple of the
    # interquartile range. Default: by `sensitivity`; z-scores are more in long series. Not for
    # generalized_esd.
    threshold: NotRequired[float | None]
    # Numbers, or objects with time and value in order of time; at most 20,000. Gaps are left out, not null.
    # Give this or `resource_id`.
    values: NotRequired[list[float | AnomalyDetectionInputValuesItem] | None]


class AnomalyDetectionInputValuesItem(TypedDict):
    # ISO 8601, Unix seconds or milliseconds, or any growing number.
    t: float | str
    # The value.
    value: float


class AnomalyDetectionResult(TypedDict):
    anomalies: list[AnomalyDetectionResultAnomaliesItem]
    checked: int
    count: int


class AnomalyDetectionResultAnomaliesItem(TypedDict):
    direction: str
    expected: float
    index: int
    lower: float
    score: float
    t: NotRequired[float | str | None]
    upper: float
    value: float


class CitationCheckInput(TypedDict):
    # References: running text, single identifiers or BibTeX entries; 1 to 100, each at most 4,000 characters,
    # together at most 49,152 bytes. Give this or `resource_id`.
    references: NotRequired[list[str] | None]
    # One reference or identifier as text (`10.1000/182`, `ISBN 978-3-16-148410-0`), or the id of a stored
    # text: BibTeX entries, else references apart by blank lines, else one a line. Alone it means: check it,
    # format nothing.
    resource_id: NotRequired[str | None]
    # Also write each reference in this style, where its parts are known. None unless given.
    style: NotRequired[Literal["apa", "vancouver", "bibtex"] | None]


class CitationCheckResult(TypedDict):
    duplicates: list[CitationCheckResultDuplicatesItem]
    references: list[CitationCheckResultReferencesItem]
    summary: CitationCheckResultSummary


class CitationCheckResultDuplicatesItem(TypedDict):
    indexes: list[int]
    kind: Literal["doi", "arxiv", "pmid", "pmcid", "orcid", "isbn", "issn", "url"]
    normalised: str


class CitationCheckResultReferencesItem(TypedDict):
    csl: CitationCheckResultReferencesItemCsl
    formatted: str | None
    identifiers: list[CitationCheckResultReferencesItemIdentifiersItem]
    index: int
    issues: list[str]
    ok: bool
    read_as: str
    text: str


CitationCheckResultReferencesItemCsl = TypedDict("CitationCheckResultReferencesItemCsl", {
    "DOI": "NotRequired[str | None]",
    "ISBN": "NotRequired[str | None]",
    "ISSN": "NotRequired[str | None]",
    "PMCID": "NotRequired[str | None]",
    "PMID": "NotRequired[str | None]",
    "URL": "NotRequired[str | None]",
    "author": "NotRequired[list[CitationCheckResultReferencesItemCslAuthorItem]]",
    "container-title": "NotRequired[str | None]",
    "edition": "NotRequired[str | None]",
    "editor": "NotRequired[list[CitationCheckResultReferencesItemCslEditorItem]]",
    "id": "str",
    "issue": "NotRequired[str | None]",
    "issued": "NotRequired[CitationCheckResultReferencesItemCslIssued | None]",
    "number": "NotRequired[str | None]",
    "page": "NotRequired[str | None]",
    "publisher": "NotRequired[str | None]",
    "publisher-place": "NotRequired[str | None]",
    "title": "NotRequired[str | None]",
    "type": "str",
    "volume": "NotRequired[str | None]",
})


class CitationCheckResultReferencesItemCslAuthorItem(TypedDict):
    family: NotRequired[str | None]
    given: NotRequired[str | None]
    literal: NotRequired[str | None]


class CitationCheckResultReferencesItemCslEditorItem(TypedDict):
    family: NotRequired[str | None]
    given: NotRequired[str | None]
    literal: NotRequired[str | None]


CitationCheckResultReferencesItemCslIssued = TypedDict("CitationCheckResultReferencesItemCslIssued", {
    "date-parts": "list[list[int]]",
})


class CitationCheckResultReferencesItemIdentifiersItem(TypedDict):
    fault: NotRequired[str | None]
    group: NotRequired[str | None]
    isbn10: NotRequired[str | None]
    kind: Literal["doi", "arxiv", "pmid", "pmcid", "orcid", "isbn", "issn", "url"]
    normalised: str
    printed: str
    start: int
    submitted: NotRequired[str | None]
    text: str
    url: str | None
    valid: bool
    version: NotRequired[int | None]


class CitationCheckResultSummary(TypedDict):
    identifiers: int
    invalid: int
    references: int
    without_identifier: int


class ClassificationInput(TypedDict):
    # What to learn from. Default: auto (words for naive_bayes and centroid, unless `method` is auto too).
    features: NotRequired[Literal["auto", "words", "subwords"]]
    # Two to 50 labels; 100,000 bytes of examples and descriptions in all. Give them here or in the stored
    # file.
    labels: NotRequired[list[ClassificationInputLabelsItem] | None]
    # How to learn. Default: auto.
    method: NotRequired[Literal["auto", "naive_bayes", "centroid"]]
    # A best score below this gives no label (0 to 1; default 0). naive_bayes: a probability; centroid: a
    # cosine.
    min_score: NotRequired[float | None]
    # Id of a stored resource (`res_…`): a JSON object with any of `text`, `texts`, `labels` (what the input
    # gives too counts instead), or plain text to classify. Alone it means: a JSON object with labels and
    # texts, method auto.
    resource_id: NotRequired[str | None]
    # A text to classify. Give this or `texts`, here or in the stored file.
    text: NotRequired[str | None]
    # Up to 200 texts, 200,000 bytes in all. Give this or `text`, here or in the stored file.
    texts: NotRequired[list[str] | None]


class ClassificationInputLabelsItem(TypedDict):
    # What belongs here, in words that such texts use. Default: none.
    description: NotRequired[str | None]
    # Texts that belong here, at most 200. Default: none.
    examples: NotRequired[list[str]]
    # 1 to 100 characters; no two alike. It is learnt from only where there are no examples.
    name: str


class ClassificationResult(TypedDict):
    texts: list[ClassificationResultTextsItem]


class ClassificationResultTextsItem(TypedDict):
    evidence: list[ClassificationResultTextsItemEvidenceItem]
    index: int
    label: str | None
    margin: float
    scores: list[ClassificationResultTextsItemScoresItem]


class ClassificationResultTextsItemEvidenceItem(TypedDict):
    weight: float
    word: str


class ClassificationResultTextsItemScoresItem(TypedDict):
    label: str
    score: float


class CodeGenerationInput(TypedDict):
    # Existing code that the new code shall fit to, at most 128 KiB. Default: none.
    context: NotRequired[str | None]
    # The language. Default: python.
    language: NotRequired[Literal["python", "javascript", "typescript", "rust", "go", "java", "c", "cpp", "csharp", "sql", "json", "bash", "html", "yaml", "kotlin", "php", "ruby", "swift", "lua", "r", "perl", "dart", "scala", "powershell"] | None]
    # Where the code is cut off, 64 to 16,384 tokens. Default: 4,096.
    max_tokens: NotRequired[int | None]
    # A model's id; default `auto`, the host's choice.
    model: NotRequired[str | None]
    # Id of a stored resource (`res_…`) with the specification as UTF-8 text, at most 32 KiB. This bridge has
    # no other natural key; alone it means: write this in Python.
    resource_id: NotRequired[str | None]
    # What the code shall do, at most 32 KiB. Give this or `resource_id`.
    spec: NotRequired[str | None]


class CodeGenerationResult(TypedDict):
    attempts: int
    check: str | None
    code: str
    cost_millipence: int
    input_tokens: int
    language: Literal["python", "javascript", "typescript", "rust", "go", "java", "c", "cpp", "csharp", "sql", "json", "bash", "html", "yaml", "kotlin", "php", "ruby", "swift", "lua", "r", "perl", "dart", "scala", "powershell"]
    mistake: CodeGenerationResultMistake | None
    model: str
    output_tokens: int
    passed: bool | None
    provider: str


class CodeGenerationResultMistake(TypedDict):
    line: int
    message: str


class CodeMetricsInput(TypedDict):
    # Cognitive complexity above which a function is a hotspot, 1 to 1,000. Default: 15.
    cognitive_max: NotRequired[int | None]
    # Cyclomatic complexity above which a function is a hotspot, 1 to 1,000. Default: 10 (McCabe 1976).
    cyclomatic_max: NotRequired[int | None]
    # Tokens in a row that must be equal for a duplicate, 20 to 1,000. Default: 60.
    duplicate_tokens: NotRequired[int | None]
    # Files with their paths; at most 200, 1 MiB and 300,000 tokens in all. Give this, `source` or
    # `resource_id`.
    files: NotRequired[list[CodeMetricsInputFilesItem] | None]
    # Language of `source` or of the resource. Default: by `path`, else by the text.
    language: NotRequired[Literal["python", "javascript", "typescript", "java", "csharp", "kotlin", "go", "rust", "c", "cpp", "php"] | None]
    # Lines with code above which a function is a hotspot, 1 to 10,000. Default: 60.
    lines_max: NotRequired[int | None]
    # Most functions and duplicates to list, the worst first (1 to 1,000; default 200).
    max_listed: NotRequired[int | None]
    # Path of `source` or of the resource. At most 300 bytes. Default: none.
    path: NotRequired[str | None]
    # Id of a stored resource (`res_…`): a text file. This bridge has no other natural key; alone, it means:
    # this file, its language by its first line or its words.
    resource_id: NotRequired[str | None]
    # The text of a single file. Give this, `files` or `resource_id`.
    source: NotRequired[str | None]


class CodeMetricsInputFilesItem(TypedDict):
    # Its text.
    content: str
    # Its path; decides the language.
    path: str


class CodeMetricsResult(TypedDict):
    duplicates: list[CodeMetricsResultDuplicatesItem]
    files: list[CodeMetricsResultFilesItem]
    functions: list[CodeMetricsResultFunctionsItem]
    hotspots: list[CodeMetricsResultHotspotsItem]
    totals: CodeMetricsResultTotals


class CodeMetricsResultDuplicatesItem(TypedDict):
    first: CodeMetricsResultDuplicatesItemFirst
    lines: int
    second: CodeMetricsResultDuplicatesItemSecond
    tokens: int


class CodeMetricsResultDuplicatesItemFirst(TypedDict):
    end_line: int
    line: int
    path: str


class CodeMetricsResultDuplicatesItemSecond(TypedDict):
    end_line: int
    line: int
    path: str


class CodeMetricsResultFilesItem(TypedDict):
    blank_lines: int
    code_lines: int
    cognitive: int
    comment_lines: int
    cyclomatic: int
    functions: int
    language: Literal["python", "javascript", "typescript", "java", "csharp", "kotlin", "go", "rust", "c", "cpp", "php"]
    path: str


class CodeMetricsResultFunctionsItem(TypedDict):
    code_lines: int
    cognitive: int
    cyclomatic: int
    end_line: int
    line: int
    name: str
    nesting: int
    parameters: int
    path: str


class CodeMetricsResultHotspotsItem(TypedDict):
    bound: int
    line: int
    measure: str
    name: str
    path: str
    reasons: list[str]
    value: int


class CodeMetricsResultTotals(TypedDict):
    blank_lines: int
    code_lines: int
    comment_lines: int
    duplicated_share: float
    files: int
    functions: int
    mean_cyclomatic: float
    most_cognitive: int
    most_cyclomatic: int


class DataProfileInput(TypedDict):
    # The table as text: CSV (separator and header are found), a JSON array of objects or of arrays, or JSON
    # lines; at most 1 MiB. Give this, `rows` or `resource_id`.
    data: NotRequired[str | None]
    # How the text is written. Default: by the first character; `{` and `[` are JSON.
    format: NotRequired[Literal["csv", "json", "json_lines"] | None]
    # CSV only: the first row has names. Default: it does when all its cells are texts, differ, and are not
    # empty.
    header: NotRequired[bool | None]
    # Texts that mean a missing value, besides the empty one; case does not matter. Default: null, none, na,
    # n/a, nan, -.
    missing: NotRequired[list[str] | None]
    # Id of a stored resource (`res_…`): the same as `data`, as a file. This bridge has no other natural key;
    # alone, it means: this file, everything by default.
    resource_id: NotRequired[str | None]
    # The table as JSON: objects or arrays. Nested values count as text. Give this, `data` or `resource_id`.
    rows: NotRequired[list[Any] | None]
    # CSV only: the character between cells. Default: comma, semicolon, tab or bar, whichever fits best.
    separator: NotRequired[str | None]
    # Most frequent values listed of each column, 0 to 20. Default: 5.
    top: NotRequired[int | None]


class DataProfileResult(TypedDict):
    candidate_keys: list[list[str]]
    columns: list[DataProfileResultColumnsItem]
    duplicate_at: list[int]
    duplicate_rows: int
    format: Literal["csv", "json", "json_lines"]
    issues: list[DataProfileResultIssuesItem]
    rows: int
    separator: NotRequired[str | None]


class DataProfileResultColumnsItem(TypedDict):
    dates: NotRequired[DataProfileResultColumnsItemDates | None]
    distinct: int
    missing: int
    missing_share: float
    name: str
    numbers: NotRequired[DataProfileResultColumnsItemNumbers | None]
    texts: NotRequired[DataProfileResultColumnsItemTexts | None]
    top: list[DataProfileResultColumnsItemTopItem]
    type: str
    types: dict[str, int]


class DataProfileResultColumnsItemDates(TypedDict):
    first: str
    last: str
    order: str


class DataProfileResultColumnsItemNumbers(TypedDict):
    least: float
    mean: float
    median: float
    most: float
    negative: int
    outliers: int
    outliers_at: list[int]
    p05: float
    p25: float
    p75: float
    p95: float
    standard_deviation: float
    zeros: int


class DataProfileResultColumnsItemTexts(TypedDict):
    longest: int
    mean: float
    padded: int
    shape: NotRequired[str | None]
    shortest: int


class DataProfileResultColumnsItemTopItem(TypedDict):
    count: int
    value: str


class DataProfileResultIssuesItem(TypedDict):
    column: NotRequired[str | None]
    kind: str
    message: str
    severity: str


class EmailVerificationInput(TypedDict):
    # The address alone (`name@example.org`), without display name and angle brackets; at most 1,000 bytes.
    # White space around it is taken away. Give this or `resource_id`.
    email: NotRequired[str | None]
    # The address, as `email` takes it; alone it is checked. Not the id of a stored resource.
    resource_id: NotRequired[str | None]


class EmailVerificationResult(TypedDict):
    domain: EmailVerificationResultDomain | None
    local_part: str | None
    mx: str
    needs_smtputf8: bool
    normalised: str | None
    reasons: list[EmailVerificationResultReasonsItem]
    role_account: bool
    suggestion: EmailVerificationResultSuggestion | None
    syntax: EmailVerificationResultSyntax
    tag: str | None
    valid: bool
    verdict: Literal["accept", "review", "reject"]


class EmailVerificationResultDomain(TypedDict):
    ascii: str
    common_provider: bool
    disposable: bool
    known_tld: bool
    private_suffix: bool
    public_suffix: str
    registrable: str | None
    reserved: bool
    unicode: str


class EmailVerificationResultReasonsItem(TypedDict):
    code: str
    message: str
    weight: Literal["accept", "review", "reject"]


class EmailVerificationResultSuggestion(TypedDict):
    distance: int
    email: str


class EmailVerificationResultSyntax(TypedDict):
    address_literal: bool
    level: str
    position: int | None
    quoted: bool


class EntityMatchInput(TypedDict):
    # A second list: links between the two are looked for instead of duplicates in the first. Default: one
    # list.
    against: NotRequired[list[dict[str, bool | float | str | None]] | None]
    # List how every field of a pair compares. Default: true.
    details: NotRequired[bool | None]
    # Fields to compare, at most 20. Default: every member but the id, its type by its name and values.
    fields: NotRequired[list[EntityMatchInputFieldsItem] | None]
    # Member that names a record; its first 40 characters are shown in the answer, it is not compared.
    # Default: `id` or `rec_id` where there is one.
    id_field: NotRequired[str | None]
    # Most pairs to list, the likeliest first (1 to 250, without `details` to 4,000; default 200).
    max_pairs: NotRequired[int | None]
    # With two lists: a record is matched once at most, the likeliest pairs first. Default: false.
    one_to_one: NotRequired[bool]
    # Where the weights come from. Default: estimated from 50 records on, else fixed.
    parameters: NotRequired[Literal["fixed", "estimated"] | None]
    # Records: objects of plain values, at most 5,000 in both lists together. Give this or `resource_id`.
    records: NotRequired[list[dict[str, bool | float | str | None]] | None]
    # Id of a stored resource (`res_…`) that holds the records: CSV with a header, a JSON array of objects, or
    # JSON lines. It takes the place of `records`. This bridge has no other natural key; alone, it means:
    # duplicates in this file, fields by their names.
    resource_id: NotRequired[str | None]
    # Probability from which a pair is listed for review, 0.01 up to `threshold`. Default: 0.5.
    review: NotRequired[float | None]
    # Probability from which a pair is a match, 0.5 to 0.9999. Default: 0.9.
    threshold: NotRequired[float | None]


class EntityMatchInputFieldsItem(TypedDict):
    # Probability that two records of the same entity agree exactly here, 0.01 to 0.9999. Default: fixed (0.8)
    # or estimated.
    m: NotRequired[float | None]
    # Member of the records; at most 100 bytes.
    name: str
    # How it is compared. Default: by its name and values.
    type: NotRequired[Literal["name", "address", "date", "number", "email", "phone", "code", "text"] | None]
    # Probability that two records of different entities agree exactly here, 0.000001 to 0.9. Default: fixed
    # (by type) or estimated.
    u: NotRequired[float | None]


class EntityMatchResult(TypedDict):
    compared: int
    groups: list[list[int]]
    matches: int
    pairs: list[EntityMatchResultPairsItem]
    possible: int
    to_review: int


class EntityMatchResultPairsItem(TypedDict):
    a: int
    a_id: NotRequired[str | None]
    b: int
    b_id: NotRequired[str | None]
    decision: str
    fields: list[EntityMatchResultPairsItemFieldsItem]
    probability: float
    weight: float


class EntityMatchResultPairsItemFieldsItem(TypedDict):
    agreement: str
    name: str
    similarity: float
    weight: float


class ForecastInput(TypedDict):
    # CSV only: name or number (from 1) of the column with the values. Default: the last column that is
    # numeric.
    column: NotRequired[str | None]
    # Points to forecast, 1 to 400, and at most as many as are given. Default: one cycle where there is one
    # (at most 48), else 8; never more than half of the points given.
    horizon: NotRequired[int | None]
    # Coverage of the prediction intervals, 0.5 to 0.995, at most four. Default: 0.8 and 0.95.
    levels: NotRequired[list[float] | None]
    # Values above this cannot occur. Default: none.
    maximum: NotRequired[float | None]
    # How to forecast. Default: auto, which tries all and takes what did best in the back-test.
    method: NotRequired[Literal["auto", "seasonal_naive", "drift", "ets", "theta", "decomposition", "autoregression", "combination"]]
    # Values below this cannot occur (0 for counts): forecasts and intervals are cut there. Default: none.
    minimum: NotRequired[float | None]
    # Points in one cycle (2 to 400; at least two cycles and one point must be given), 1 for no season, or
    # "auto" to find it. Default: auto.
    period: NotRequired[int | Literal["auto"] | None]
    # Id of a stored resource (`res_…`) that holds CSV, or JSON of the shape of `values`. This bridge has no
    # other natural key; alone, it means: this file, everything else by default.
    resource_id: NotRequired[str | None]
    # Numbers, or objects with time and value in order of time; 6 to 10,000, evenly spaced. Missing values are
    # not filled: put a value of your own there. Give this or `resource_id`.
    values: NotRequired[list[float | ForecastInputValuesItem] | None]


class ForecastInputValuesItem(TypedDict):
    # ISO 8601, Unix seconds or milliseconds, or any growing number.
    t: float | str
    # The value.
    value: float


class ForecastResult(TypedDict):
    fitted_on: int
    given: int
    points: list[ForecastResultPointsItem]


class ForecastResultPointsItem(TypedDict):
    intervals: list[ForecastResultPointsItemIntervalsItem]
    step: int
    t: NotRequired[float | str | None]
    value: float


class ForecastResultPointsItemIntervalsItem(TypedDict):
    level: float
    lower: float
    upper: float


class FraudSignalInput(TypedDict):
    # Your id of the customer's account, for counting; kept for a day as a 64-bit digest. Default: only calls
    # of the address are counted.
    account: NotRequired[str | None]
    # Country of the bill, ISO 3166-1 alpha-2 (`GB`; `UK` is taken for it). Default: countries are not
    # compared.
    billing_country: NotRequired[str | None]
    # E-mail address of the customer; only its domain is used. Default: no domain is looked up.
    email: NotRequired[str | None]
    # Count this call, and compare it with your calls of the last 24 hours. Default: true. With false the
    # answer depends on the tables alone.
    history: NotRequired[bool | None]
    # IPv4 (`203.0.113.9`) or IPv6 (`2001:db8::1`), without port, prefix length or zone. Give this or
    # `resource_id`.
    ip: NotRequired[str | None]
    # The IP address, as `ip` takes it; alone it is checked by itself. Not the id of a stored resource.
    resource_id: NotRequired[str | None]
    # What each signal adds to the score. Default: this bridge's rules of thumb.
    weights: NotRequired[FraudSignalInputWeights | None]


class FraudSignalInputWeights(TypedDict):
    # 60 calls with this address in an hour; 20 add five eighths of it, 10 a quarter. Default: 40.
    address_velocity: NotRequired[int | None]
    # On the operator's list of Tor exits, VPNs and proxies. Default: 40.
    anonymity: NotRequired[int | None]
    # On the operator's list of bad addresses. Default: 50.
    blocklist: NotRequired[int | None]
    # Another country than that of the bill. Default: 20.
    country_mismatch: NotRequired[int | None]
    # E-mail of a disposable domain. Default: 30.
    disposable_email: NotRequired[int | None]
    # An IPv6 transition gateway. Default: 20.
    gateway: NotRequired[int | None]
    # On the list of data centres. Default: 25.
    hosting: NotRequired[int | None]
    # 10 accounts with this address in 24 hours; 5 add five eighths of it, 3 a quarter. Default: 40.
    many_accounts: NotRequired[int | None]
    # 10 addresses of this account in 24 hours; 5 add five eighths of it, 3 a quarter. Default: 40.
    many_addresses: NotRequired[int | None]
    # An address that no registry has delegated to a country. Default: 20.
    no_country: NotRequired[int | None]
    # An address that no client on the internet has. Default: 60.
    special_range: NotRequired[int | None]


class FraudSignalResult(TypedDict):
    checks: list[FraudSignalResultChecksItem]
    country: str | None
    depends_on_history: bool
    ip: str
    ip_version: int
    level: Literal["low", "medium", "high", "unknown"]
    score: int
    signals: list[FraudSignalResultSignalsItem]
    velocity: FraudSignalResultVelocity | None


class FraudSignalResultChecksItem(TypedDict):
    done: bool
    name: str
    reason: str | None


class FraudSignalResultSignalsItem(TypedDict):
    evidence: str
    name: Literal["special_range", "gateway", "no_country", "anonymity", "hosting", "blocklist", "country_mismatch", "disposable_email", "address_velocity", "many_accounts", "many_addresses"]
    weight: int


class FraudSignalResultVelocity(TypedDict):
    accounts_of_address: int | None
    addresses_of_account: int | None
    calls_day: int
    calls_hour: int


class HtmlExtractionInput(TypedDict):
    # Where the document comes from, an `http` or `https` address: its links are resolved against it (and
    # against a `base` element first). Nothing is fetched. At most 2,000 characters. Default: only a `base`
    # element counts.
    base_url: NotRequired[str | None]
    # The HTML: the whole input has 1,048,576 bytes at most, the document 100,000 nodes and 256 elements
    # inside each other. Give this or `resource_id`.
    html: NotRequired[str | None]
    # Most characters of the main text (1 to 150,000; default 50,000).
    max_characters: NotRequired[int | None]
    # Most links (0 to 1,000; default 300).
    max_links: NotRequired[int | None]
    # Most tables (0 to 100; default 20).
    max_tables: NotRequired[int | None]
    # Id of a stored resource (`res_…`): HTML in UTF-8. Alone it means: this document, without a base for its
    # links.
    resource_id: NotRequired[str | None]


class HtmlExtractionResult(TypedDict):
    counts: HtmlExtractionResultCounts
    headings: list[HtmlExtractionResultHeadingsItem]
    links: list[HtmlExtractionResultLinksItem]
    main: HtmlExtractionResultMain
    metadata: HtmlExtractionResultMetadata
    tables: list[HtmlExtractionResultTablesItem]
    title: str | None


class HtmlExtractionResultCounts(TypedDict):
    headings: int
    links: int
    nodes: int
    tables: int


class HtmlExtractionResultHeadingsItem(TypedDict):
    id: str | None
    in_main: bool
    level: int
    text: str


class HtmlExtractionResultLinksItem(TypedDict):
    href: str
    in_main: bool
    internal: bool | None
    kind: str
    rel: list[str]
    text: str
    url: str | None


class HtmlExtractionResultMain(TypedDict):
    characters: int
    element: str | None
    found: str
    score: float | None
    share: float
    text: str
    truncated: bool


class HtmlExtractionResultMetadata(TypedDict):
    author: str | None
    canonical: str | None
    charset: str | None
    description: str | None
    json_ld_broken: int
    json_ld_types: list[str]
    lang: str | None
    modified: HtmlExtractionResultMetadataModified | None
    open_graph: list[HtmlExtractionResultMetadataOpenGraphItem]
    published: HtmlExtractionResultMetadataPublished | None
    robots: str | None
    site_name: str | None
    twitter: list[HtmlExtractionResultMetadataTwitterItem]


HtmlExtractionResultMetadataModified = TypedDict("HtmlExtractionResultMetadataModified", {
    "from": "str",
    "value": "str",
})


class HtmlExtractionResultMetadataOpenGraphItem(TypedDict):
    content: str
    property: str


HtmlExtractionResultMetadataPublished = TypedDict("HtmlExtractionResultMetadataPublished", {
    "from": "str",
    "value": "str",
})


class HtmlExtractionResultMetadataTwitterItem(TypedDict):
    content: str
    property: str


class HtmlExtractionResultTablesItem(TypedDict):
    caption: str | None
    columns: int
    header_rows: int
    headers: list[str]
    in_main: bool
    layout: bool
    row_headers: bool
    rows: list[list[str]]
    spans: int
    truncated: bool


class IbanValidationInput(TypedDict):
    # The national account number (BBAN) in the country's full length, spaces and hyphens allowed. Give this
    # with `country`, or an IBAN.
    bban: NotRequired[str | None]
    # With `bban`: the country's ISO 3166-1 alpha-2 code (or XK), to make the IBAN of a national account
    # number. Give it with `bban` alone.
    country: NotRequired[str | None]
    # The IBAN in any written form: small letters, spaces, hyphens, full stops and the word `IBAN` before it
    # are taken away. Give this, `resource_id`, or `country` and `bban`.
    iban: NotRequired[str | None]
    # The IBAN, as `iban` takes it; alone it is checked. Not the id of a stored resource.
    resource_id: NotRequired[str | None]


class IbanValidationResult(TypedDict):
    bank_code: str | None
    bban: str | None
    branch_code: str | None
    country: str | None
    expected_check_digits: str | None
    expected_length: int | None
    faults: list[IbanValidationResultFaultsItem]
    fields: list[IbanValidationResultFieldsItem]
    formatted: str
    iban: str
    masked: str
    national_check: Literal["passed", "failed", "no_rule", "not_checked"]
    national_rule: str | None
    registered: bool | None
    sepa: bool | None
    structure: str | None
    valid: bool


class IbanValidationResultFaultsItem(TypedDict):
    code: str
    message: str
    position: int | None


class IbanValidationResultFieldsItem(TypedDict):
    name: str
    position: int
    registry: bool
    value: str


class KeywordExtractionInput(TypedDict):
    # A phrase as similar as this to a better one is left out (0 to 1, by edit distance; 1 keeps all; default
    # 0.8).
    deduplicate: NotRequired[float | None]
    # Words that are no key words here, as stop words; at most 500. Default: none.
    exclude: NotRequired[list[str]]
    # Whose stop words are left out at the ends of phrases. Default: the language of these that the stop words
    # of the text speak for most, en where none does.
    language: NotRequired[Literal["cs", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr", "uk", "other"] | None]
    # Most phrases to list (1 to 100; default 10).
    max_phrases: NotRequired[int | None]
    # Most words in a phrase (1 to 4; default 3).
    max_words: NotRequired[int | None]
    # Id of a stored resource (`res_…`): plain text in UTF-8. Alone it means: this text, its language found,
    # ten phrases.
    resource_id: NotRequired[str | None]
    # The text, 200,000 bytes at most. Give this or `resource_id`.
    text: NotRequired[str | None]


class KeywordExtractionResult(TypedDict):
    candidates: int
    language: Literal["cs", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr", "uk", "other"]
    phrases: list[KeywordExtractionResultPhrasesItem]
    sentences: int


class KeywordExtractionResultPhrasesItem(TypedDict):
    count: int
    places: list[KeywordExtractionResultPhrasesItemPlacesItem]
    score: float
    text: str


class KeywordExtractionResultPhrasesItemPlacesItem(TypedDict):
    end_byte: int
    end_char: int
    start_byte: int
    start_char: int


class LanguageDetectionInput(TypedDict):
    # Only these languages come into question, by ISO 639-1 or 639-3 code. Default: all 70 known ones.
    languages: NotRequired[list[str] | None]
    # Id of a stored resource (`res_…`): a text in UTF-8, taken as one. Alone it means: its language, of all
    # known ones.
    resource_id: NotRequired[str | None]
    # A text; 500,000 bytes at most. Give this, `texts` or `resource_id`.
    text: NotRequired[str | None]
    # Up to 1,000 texts, 500,000 bytes in all. Give this, `text` or `resource_id`.
    texts: NotRequired[list[str] | None]


class LanguageDetectionResult(TypedDict):
    texts: list[LanguageDetectionResultTextsItem]


class LanguageDetectionResultTextsItem(TypedDict):
    alternatives: list[str]
    confidence: float
    doubts: list[Literal["near_tie", "few_letters", "foreign_letters", "unusual_letters", "missing_letters", "unlisted_twin"]]
    index: int
    iso639_3: str | None
    language: str | None
    letters: int
    name: str | None
    native_name: str | None
    reliable: bool
    script: str | None
    script_code: str | None


class LeadScoreInput(TypedDict):
    # When events are counted from: ISO 8601, or Unix seconds or milliseconds. Default: the time of the call.
    as_of: NotRequired[float | str | None]
    # What the lead did, in any order; at most 1,000. Left out, engagement is unknown and adds nothing, as if
    # empty; weight 0 leaves it out of the scale.
    events: NotRequired[list[LeadScoreInputEventsItem] | None]
    # Decayed points of events at which engagement is full, 0.1 to 100,000. Default: 20.
    full_engagement: NotRequired[float | None]
    # Scores from which a lead is A, B or C. Default: 75, 55, 35.
    grades: NotRequired[LeadScoreInputGrades | None]
    # Days after which an event counts half, 0.1 to 3,650. Default: 14.
    half_life_days: NotRequired[float | None]
    # Who it is. Give this, or `resource_id`.
    lead: NotRequired[LeadScoreInputLead | None]
    # The ideal customer. What it does not name is not scored. Default: none.
    profile: NotRequired[LeadScoreInputProfile | None]
    # An e-mail address: alone it means a lead of which nothing else is known, so only the contact is scored.
    # Or the id of a stored resource (`res_…`): a JSON object with `lead`, and `profile` and `events` if
    # wanted.
    resource_id: NotRequired[str | None]
    # How much each part counts. Default: title 20, industry 15, country 10, size 15, email 15, completeness
    # 5, engagement 20. Weights of what is scored are scaled to 100; contact and engagement are always scored.
    weights: NotRequired[LeadScoreInputWeights | None]


class LeadScoreInputEventsItem(TypedDict):
    # When: ISO 8601, or Unix seconds or milliseconds. At most a day after `as_of`.
    at: float | str
    # Points when fresh, -100 to 100. Default: by type.
    points: NotRequired[float | None]
    # demo_request, trial_start (10), meeting (8), reply (6), form_submit, pricing_page (5), webinar (4),
    # download (3), email_click (2), page_view, email_open (0.5), email_bounce, unsubscribe (-10); in brackets
    # the points. Any other name needs `points`.
    type: str


class LeadScoreInputGrades(TypedDict):
    # Least score of an A, 0 to 100, above `b`.
    a: float
    # Least score of a B, above `c`.
    b: float
    # Least score of a C, from 0; below it is D.
    c: float


class LeadScoreInputLead(TypedDict):
    # Name of the company; counts for completeness only.
    company: NotRequired[str | None]
    # Country, written as in the profile.
    country: NotRequired[str | None]
    # E-mail address.
    email: NotRequired[str | None]
    # Employees of the company, from 0.
    employees: NotRequired[int | None]
    # Industry, written as in the profile.
    industry: NotRequired[str | None]
    # Name of the person; counts for completeness only.
    name: NotRequired[str | None]
    # Phone number; counts for completeness only.
    phone: NotRequired[str | None]
    # Job title, compared with those of the profile.
    title: NotRequired[str | None]
    # Web address or domain of the company; compared with the domain of the e-mail address.
    website: NotRequired[str | None]


class LeadScoreInputProfile(TypedDict):
    # Countries, as leads name them; case does not matter. Default: none, so countries are not scored.
    countries: NotRequired[list[str]]
    # Most employees. Default: no bound.
    employees_max: NotRequired[int | None]
    # Least employees. Default: 0; without either bound the size is not scored.
    employees_min: NotRequired[int | None]
    # Industries, as leads name them; case does not matter. Default: none, so industries are not scored.
    industries: NotRequired[list[str]]
    # Job titles; a title fits as far as it has the words of one of them. Default: none, so titles are not
    # scored.
    titles: NotRequired[list[str]]


class LeadScoreInputWeights(TypedDict):
    # Of how much of the contact is there, 0 to 1,000. Default: 5.
    completeness: NotRequired[float | None]
    # Of the country, 0 to 1,000. Default: 10.
    country: NotRequired[float | None]
    # Of the e-mail address, 0 to 1,000. Default: 15.
    email: NotRequired[float | None]
    # Of the events, 0 to 1,000. Default: 20.
    engagement: NotRequired[float | None]
    # Of the industry, 0 to 1,000. Default: 15.
    industry: NotRequired[float | None]
    # Of the number of employees, 0 to 1,000. Default: 15.
    size: NotRequired[float | None]
    # Of the job title, 0 to 1,000. Default: 20.
    title: NotRequired[float | None]


class LeadScoreResult(TypedDict):
    contributions: list[LeadScoreResultContributionsItem]
    flags: list[str]
    grade: str
    known: float
    score: float
    score_of_known: float | None
    strongest_events: list[LeadScoreResultStrongestEventsItem]


class LeadScoreResultContributionsItem(TypedDict):
    most: float
    part: str
    points: float
    reason: str
    value: float | None


class LeadScoreResultStrongestEventsItem(TypedDict):
    age_days: float
    decayed: float
    index: int
    points: float
    type: str


class MediaProbeInput(TypedDict):
    # How the captions are written. Default: by the text; one that begins with WEBVTT is that, any other is
    # SRT.
    caption_format: NotRequired[Literal["srt", "webvtt"] | None]
    # Captions as text: SubRip (SRT) or WebVTT; at most 1 MiB. Give these, `media`, or `resource_id`.
    captions: NotRequired[str | None]
    # Size of the whole file in bytes, where only its beginning is given. Default: what is given is the whole.
    file_bytes: NotRequired[int | None]
    # The media file in base64 (standard alphabet, padding and line breaks optional): MP4, MOV, M4A and other
    # ISO base media, WAV, or MP3. At most 1 MiB of base64; of a bigger file its beginning, with `file_bytes`:
    # enough where `moov` comes first. Give this, `captions`, or `resource_id`.
    media: NotRequired[str | None]
    # Duration of the media in seconds, where it is not given itself or does not tell; 0 to 1,000,000.
    # Default: what the media tells.
    media_seconds: NotRequired[float | None]
    # Id of a stored resource (`res_…`): a media file or a caption file, told apart by its bytes. Alone it
    # means: probe this file, everything by default. It may stand beside `media` or `captions`, as the other
    # one of the two.
    resource_id: NotRequired[str | None]
    # When a cue counts as hard to read. Default: those of a published style guide.
    thresholds: NotRequired[MediaProbeInputThresholds | None]


class MediaProbeInputThresholds(TypedDict):
    # Most characters a second, spaces and punctuation counted, mark-up and line breaks not. Default: 17; for
    # children 13.
    characters_per_second: NotRequired[float | None]
    # How far a cue may reach beyond the end of the media, in seconds. Default: 0.1 (a choice of this bridge:
    # rounding).
    end_tolerance_seconds: NotRequired[float | None]
    # Shortest gap between cues that do not touch or overlap, in seconds. Default: 0, which is no check (the
    # guide asks for two frames, which depends on the frame rate).
    least_gap_seconds: NotRequired[float | None]
    # Shortest time on screen, in seconds. Default: 0.833 (five sixths, cut to milliseconds).
    least_seconds: NotRequired[float | None]
    # Most characters a line. Default: 42.
    line_characters: NotRequired[int | None]
    # Most lines a cue. Default: 2.
    lines: NotRequired[int | None]
    # Longest time on screen, in seconds. Default: 7.
    most_seconds: NotRequired[float | None]
    # Most words a minute. Default: 200; for children 160. The BBC's subtitle guidelines recommend 160 to 180.
    words_per_minute: NotRequired[float | None]


class MediaProbeResult(TypedDict):
    captions: NotRequired[MediaProbeResultCaptions | None]
    fit: NotRequired[MediaProbeResultFit | None]
    issue_counts: dict[str, int]
    issues: list[MediaProbeResultIssuesItem]
    media: NotRequired[MediaProbeResultMedia | None]


class MediaProbeResultCaptions(TypedDict):
    characters: int
    comments: int
    cues: int
    fastest_cue: NotRequired[int | None]
    first_seconds: NotRequired[float | None]
    format: Literal["srt", "webvtt"]
    last_seconds: NotRequired[float | None]
    longest_line: int
    mean_characters_per_second: NotRequired[float | None]
    mean_words_per_minute: NotRequired[float | None]
    most_characters_per_second: NotRequired[float | None]
    most_lines: int
    regions: int
    shown_seconds: float
    styles: int
    thresholds: MediaProbeResultCaptionsThresholds
    words: int


class MediaProbeResultCaptionsThresholds(TypedDict):
    characters_per_second: float
    defaults: str
    end_tolerance_seconds: float
    least_gap_seconds: float
    least_seconds: float
    line_characters: int
    lines: int
    most_seconds: float
    words_per_minute: float


class MediaProbeResultFit(TypedDict):
    cues_across_end: int
    cues_after_end: int
    media_seconds: float
    seconds_without_captions_at_end: NotRequired[float | None]


class MediaProbeResultIssuesItem(TypedDict):
    cue: NotRequired[int | None]
    kind: str
    line: NotRequired[int | None]
    message: str
    severity: str
    track: NotRequired[int | None]


class MediaProbeResultMedia(TypedDict):
    bit_rate: NotRequired[int | None]
    brand: NotRequired[str | None]
    bytes: int
    codecs: NotRequired[str | None]
    compatible_brands: NotRequired[list[str]]
    duration_seconds: NotRequired[float | None]
    faststart: NotRequired[bool | None]
    format: str
    fragmented: NotRequired[bool | None]
    fragments: NotRequired[int | None]
    tracks: list[MediaProbeResultMediaTracksItem]


class MediaProbeResultMediaTracksItem(TypedDict):
    bit_rate: NotRequired[int | None]
    bits_per_sample: NotRequired[int | None]
    channels: NotRequired[int | None]
    codec: NotRequired[str | None]
    constant_frame_rate: NotRequired[bool | None]
    display_height: NotRequired[float | None]
    display_width: NotRequired[float | None]
    duration_seconds: NotRequired[float | None]
    edits: NotRequired[int | None]
    enabled: NotRequired[bool | None]
    encrypted: bool
    format: NotRequired[str | None]
    frame_rate: NotRequired[float | None]
    height: NotRequired[int | None]
    id: int
    kind: str
    language: NotRequired[str | None]
    rotation_degrees: NotRequired[int | None]
    sample_rate: NotRequired[int | None]
    samples: NotRequired[int | None]
    sync_samples: NotRequired[int | None]
    width: NotRequired[int | None]


class ModelInferenceInput(TypedDict):
    # A JSON Schema, at most 32 KiB: the answer is JSON that fits it. An answer that is no JSON is an error
    # and costs nothing. Default: plain text.
    json_schema: NotRequired[Any]
    # Where the answer is cut off, 1 to 4,096 tokens. Default: 512.
    max_tokens: NotRequired[int | None]
    # A conversation of at most 64 turns, the last of which is the user's. Give this, `prompt` or
    # `resource_id`.
    messages: NotRequired[list[ModelInferenceInputMessagesItem] | None]
    # A model's id; default `auto`, the host's choice.
    model: NotRequired[str | None]
    # The question; all texts together have at most 256 KiB. Give this, `messages` or `resource_id`.
    prompt: NotRequired[str | None]
    # Id of a stored resource (`res_…`) with UTF-8 text. This bridge has no other natural key; alone, its text
    # is the prompt; with `prompt`, it is put before it.
    resource_id: NotRequired[str | None]
    # What the model shall keep to; goes before the conversation. Default: nothing.
    system: NotRequired[str | None]
    # 0 (likeliest answer) to 2. Default: the model's own.
    temperature: NotRequired[float | None]


class ModelInferenceInputMessagesItem(TypedDict):
    # What is said, as text.
    content: str
    # Who speaks.
    role: Literal["system", "user", "assistant"]


class ModelInferenceResult(TypedDict):
    cost_millipence: int
    fits_schema: bool | None
    input_tokens: int
    json: Any
    model: str
    output_tokens: int
    provider: str
    schema_problems: list[str]
    text: str
    truncated: bool


class ModelPriceInput(TypedDict):
    # The calls may wait for a batch: batch prices where the model has them. Default: false.
    batch: NotRequired[bool]
    # How many of `input_tokens` the provider reads from its prompt cache. Default: 0. Models without a price
    # for cached input are charged in full.
    cached_input_tokens: NotRequired[int | None]
    # Number of such calls, 1 to 1e9. Default: 1.
    calls: NotRequired[int | None]
    # Only models with this text in their id, in any case (`llama-3.3-70b`). Default: all.
    contains: NotRequired[str | None]
    # Pounds for one US dollar as decimal text (`0.7634`, at most six decimals): costs are then also given in
    # GBP. Default: costs in US dollars only.
    gbp_per_usd: NotRequired[str | None]
    # Include models whose provider has announced an end that is reached on the day of the call. Default:
    # false.
    include_ended: NotRequired[bool]
    # Include models with price 0, which are mostly local or part of a subscription. Default: false.
    include_zero: NotRequired[bool]
    # Tokens of one request, 0 to 1e9. Default: 1,000.
    input_tokens: NotRequired[int | None]
    # What the model is for; models for anything else are never listed. Default: chat; with `model` or
    # `resource_id`, whatever the model of that name is for.
    kind: NotRequired[Literal["chat", "responses", "completion", "embedding", "moderation", "ocr", "image", "audio", "video", "rerank"] | None]
    # Most models to list, 1 to 50. Default: 10.
    limit: NotRequired[int | None]
    # The most that the job may cost in USD for all calls, as decimal text; dearer models are left out.
    # Default: no bound.
    max_cost_usd: NotRequired[str | None]
    # Least size of the input window in tokens; models whose window is not known are left out. Default: no
    # bound.
    min_context: NotRequired[int | None]
    # Only models of this name: the id (`gemini/gemini-2.5-pro`) or its last part (`gemini-2.5-pro`, at every
    # provider that uses this name), in any case. Default: all.
    model: NotRequired[str | None]
    # Abilities that a model must be listed with. Default: none.
    needs: NotRequired[list[Literal["tools", "vision", "json_schema", "reasoning", "prompt_caching", "audio_input", "pdf_input", "web_search"]]]
    # Tokens of one answer, thinking included. Default: 500; 0 for embedding.
    output_tokens: NotRequired[int | None]
    # Only these providers, as the answers name them (`openai`, `groq`, `bedrock`), at most 50. Default: all.
    providers: NotRequired[list[str] | None]
    # Name of a model, as `model` takes it; alone it gives that model's prices at all its providers. Not the
    # id of a stored resource.
    resource_id: NotRequired[str | None]
    # Not these providers, at most 50. Default: none.
    without_providers: NotRequired[list[str]]


class ModelPriceResult(TypedDict):
    considered: int
    eligible: int
    gbp_per_usd: str | None
    job: ModelPriceResultJob
    left_out: ModelPriceResultLeftOut
    models: list[ModelPriceResultModelsItem]


class ModelPriceResultJob(TypedDict):
    batch: bool
    cached_input_tokens: int
    calls: int
    input_tokens: int
    kind: Literal["chat", "responses", "completion", "embedding", "moderation", "ocr", "image", "audio", "video", "rerank"]
    output_tokens: int


class ModelPriceResultLeftOut(TypedDict):
    ability: int
    context: int
    ended: int
    not_asked_for: int
    output: int
    too_dear: int
    zero_price: int


class ModelPriceResultModelsItem(TypedDict):
    abilities: list[Literal["tools", "vision", "json_schema", "reasoning", "prompt_caching", "audio_input", "pdf_input", "web_search"]]
    batch_price: bool
    cached_input_usd_per_million: str | None
    cost_gbp: str | None
    cost_usd: str
    ends: str | None
    input_usd_per_million: str
    max_input_tokens: int | None
    max_output_tokens: int | None
    model: str
    output_usd_per_million: str
    provider: str
    rank: int
    tier_above_tokens: int | None


class PiiRedactionInput(TypedDict):
    # What to put in the place of what was found. Default: replace.
    mode: NotRequired[Literal["mask", "replace", "pseudonym"]]
    # Id of a stored resource (`res_…`): text in UTF-8. Alone it means: this text, all types, mode replace.
    resource_id: NotRequired[str | None]
    # The text, 100,000 bytes at most. Give this or `resource_id`.
    text: NotRequired[str | None]
    # What to look for. Default: all types.
    types: NotRequired[list[Literal["email", "iban", "card", "nhs_number", "national_insurance", "us_ssn", "ip_address", "date_of_birth", "phone", "name"]] | None]


class PiiRedactionResult(TypedDict):
    counts: dict[str, int]
    spans: list[PiiRedactionResultSpansItem]
    text: str


class PiiRedactionResultSpansItem(TypedDict):
    end_byte: int
    end_char: int
    evidence: str
    replacement: str
    start_byte: int
    start_char: int
    type: Literal["email", "iban", "card", "nhs_number", "national_insurance", "us_ssn", "ip_address", "date_of_birth", "phone", "name"]


class PriceOptimizationInput(TypedDict):
    # Confidence of intervals, 0.5 to 0.999. Default: 0.95.
    confidence: NotRequired[float | None]
    # What the new price must keep to. Default: the prices seen.
    constraints: NotRequired[PriceOptimizationInputConstraints]
    # Names of controls whose effect is taken out first, at most ten: promotions, a rival's price, the
    # weather. Default: all that the periods of `history` have; none of a CSV file, whose columns they are.
    controls: NotRequired[list[str] | None]
    # Today's price, above 0 and no farther from the prices of the history than half and twice. Default: the
    # last of the history.
    current_price: NotRequired[float | None]
    # Prices beyond those of the history may be recommended, from half of the least to twice the highest, if
    # `constraints` allows them: the model is not known to hold there. Default: false.
    extrapolate: NotRequired[bool]
    # Periods of equal length in order of time, 8 to 5,000, each with its price and the units sold. Trend,
    # season and controls need more of them: five and one for each that is taken out. Give this or
    # `resource_id`.
    history: NotRequired[list[PriceOptimizationInputHistoryItem] | None]
    # What to make large. Default: profit where `unit_cost` is given, else revenue.
    objective: NotRequired[Literal["profit", "revenue"] | None]
    # Id of a stored resource (`res_…`): CSV with columns `price`, `quantity` and any `controls`, or a JSON
    # array of the shape of `history`. This bridge has no other natural key; alone, it means: best revenue
    # between the prices seen.
    resource_id: NotRequired[str | None]
    # Rows of the table besides the current and the best price, 2 to 50. Default: 9.
    scenarios: NotRequired[int | None]
    # Periods in one cycle of the seasons, 2 to 53 (12 for months, 7 for days): each place in the cycle gets a
    # level of its own, which is taken out first. At least two cycles must be given. Default: no seasons.
    season: NotRequired[int | None]
    # A steady growth or fall of demand over time is taken out first. Default: false; the answer tells the
    # elasticity both ways.
    trend: NotRequired[bool]
    # Cost of one more unit, 0 to 1e12, in the currency of the prices. Default: 0.
    unit_cost: NotRequired[float | None]


class PriceOptimizationInputConstraints(TypedDict):
    # Most units that can be sold in a period, above 0. Default: no bound.
    capacity: NotRequired[float | None]
    # Farthest from today's price, in percent of it, 0 to 100. Default: no bound.
    max_change_percent: NotRequired[float | None]
    # Least margin: price less unit cost in percent of the price, 0 to 99. Default: no bound.
    min_margin_percent: NotRequired[float | None]
    # Least units expected in a period, above 0. Default: no bound.
    min_quantity: NotRequired[float | None]
    # Highest price, above 0. Default: the highest of the history; higher ones count only with `extrapolate`.
    price_max: NotRequired[float | None]
    # Least price, from 0. Default: the least of the history; lower ones count only with `extrapolate`.
    price_min: NotRequired[float | None]
    # Prices are multiples of this, 1e-9 to 1e9. Default: 0.01, or a hundredth of the least price seen where
    # that is less.
    price_step: NotRequired[float | None]


class PriceOptimizationInputHistoryItem(TypedDict):
    # What else moved demand in this period, by name: 1 or 0 for a promotion, or any number that works on log
    # units (a rival's price as its logarithm). The same names in every period, at most ten. Default: nothing.
    controls: NotRequired[dict[str, float]]
    # Price of a unit, 1e-9 to 1e12.
    price: float
    # Units sold, 1e-9 to 1e12 (a logarithm is taken: leave out periods without sales, or add them to their
    # neighbours).
    quantity: float


class PriceOptimizationResult(TypedDict):
    bound_by: list[str]
    current_price: float
    decision: str
    elasticity: PriceOptimizationResultElasticity
    price: float | None
    scenarios: list[PriceOptimizationResultScenariosItem]
    uplift_percent: PriceOptimizationResultUpliftPercent | None


class PriceOptimizationResultElasticity(TypedDict):
    estimate: float
    high: float
    low: float


class PriceOptimizationResultScenariosItem(TypedDict):
    extrapolated: bool
    mark: str
    price: float
    profit: float
    quantity: PriceOptimizationResultScenariosItemQuantity
    revenue: float


class PriceOptimizationResultScenariosItemQuantity(TypedDict):
    estimate: float
    high: float
    low: float


class PriceOptimizationResultUpliftPercent(TypedDict):
    estimate: float
    high: float
    low: float


class PromptTemplateInput(TypedDict):
    # Names of variables to put into tags (`<name>…</name>`), so that a model tells them from instructions.
    # Default: none.
    delimit: NotRequired[list[str] | None]
    # How far to shorten: none, whitespace, or full (white space, repeated sentences, filler). Default: full.
    level: NotRequired[Literal["none", "whitespace", "full"] | None]
    # The template as messages, 1 to 50, together at most 65,536 bytes. Give this, `template` or
    # `resource_id`.
    messages: NotRequired[list[PromptTemplateInputMessagesItem] | None]
    # Id of a stored template (`res_…`): text, or JSON of the shape of `messages`. Alone it is shortened and
    # checked without rendering.
    resource_id: NotRequired[str | None]
    # The template as one text, at most 65,536 bytes. Give this, `messages` or `resource_id`.
    template: NotRequired[str | None]
    # Values by name: texts, numbers, booleans, lists and objects, at most 65,536 bytes of text, eight levels
    # deep. Every variable needs one. Absent: no rendering.
    variables: NotRequired[dict[str, Any] | None]


class PromptTemplateInputMessagesItem(TypedDict):
    # What is said.
    content: str
    # Who speaks.
    role: Literal["system", "developer", "user", "assistant", "tool"]


class PromptTemplateResult(TypedDict):
    changes: list[PromptTemplateResultChangesItem]
    changes_count: int
    findings: list[PromptTemplateResultFindingsItem]
    messages: list[PromptTemplateResultMessagesItem] | None
    optimised: list[PromptTemplateResultOptimisedItem]
    prompt: str | None
    rendered_size: PromptTemplateResultRenderedSize | None
    template_size: PromptTemplateResultTemplateSize
    variables: PromptTemplateResultVariables


class PromptTemplateResultChangesItem(TypedDict):
    after: str
    before: str
    kind: str
    line: int
    message: int
    reason: str


class PromptTemplateResultFindingsItem(TypedDict):
    at: str
    code: str
    message: str
    severity: Literal["info", "warning", "high"]


class PromptTemplateResultMessagesItem(TypedDict):
    content: str
    role: Literal["system", "developer", "user", "assistant", "tool"]


class PromptTemplateResultOptimisedItem(TypedDict):
    content: str
    role: Literal["system", "developer", "user", "assistant", "tool"]


class PromptTemplateResultRenderedSize(TypedDict):
    after: PromptTemplateResultRenderedSizeAfter
    before: PromptTemplateResultRenderedSizeBefore


class PromptTemplateResultRenderedSizeAfter(TypedDict):
    bytes: int
    characters: int
    tokens_estimate: int
    words: int


class PromptTemplateResultRenderedSizeBefore(TypedDict):
    bytes: int
    characters: int
    tokens_estimate: int
    words: int


class PromptTemplateResultTemplateSize(TypedDict):
    after: PromptTemplateResultTemplateSizeAfter
    before: PromptTemplateResultTemplateSizeBefore


class PromptTemplateResultTemplateSizeAfter(TypedDict):
    bytes: int
    characters: int
    tokens_estimate: int
    words: int


class PromptTemplateResultTemplateSizeBefore(TypedDict):
    bytes: int
    characters: int
    tokens_estimate: int
    words: int


class PromptTemplateResultVariables(TypedDict):
    missing: list[str]
    needed: list[str]
    unused: list[str]


class ProofOfWorkInput(TypedDict):
    # The body of the answer, byte for byte as it was received, at most 256 KiB: likewise. Default: not
    # compared.
    answer: NotRequired[str | None]
    # A proof document as `GET /v1/ledger/proof/{seal}` gives it: an object, or its JSON text; at most 256
    # KiB. Give this, `id`, or both.
    document: NotRequired[Any]
    # What the record must say: JSON pointers into the record and the values that must stand there, at most 50
    # (`{"/kind": "route", "/body/plugin": "tax_jar_lookup"}`). Default: nothing.
    expect: NotRequired[dict[str, Any]]
    # Seal of a record (`X-Worm-Seal`, 64 hexadecimal digits), or transaction id (`X-Transaction-Id`, `tx_`
    # and 64 digits) of one that you are a party to. Give this, `resource_id` or `document`.
    id: NotRequired[str | None]
    # With `document`: the record in canonical JSON text, so that the proof is tied to its content; at most
    # 256 KiB. Default: the seal alone is proven.
    record: NotRequired[str | None]
    # The body of the request that was paid for, byte for byte as it was sent, at most 256 KiB: its salted
    # digest is compared with that in the record. Default: not compared.
    request: NotRequired[str | None]
    # Seal or transaction id, as `id` takes it; alone it verifies that record. Not the id of a stored
    # resource.
    resource_id: NotRequired[str | None]


class ProofOfWorkResult(TypedDict):
    answer_matches: bool | None
    expectations: list[ProofOfWorkResultExpectationsItem]
    included: bool
    key: str | None
    origin: str | None
    proof: Any
    reason: str | None
    record: Any
    record_checked: bool
    record_text: str | None
    request_matches: bool | None
    seal: str | None
    seq: int | None
    tree_size: int | None
    verified: bool


class ProofOfWorkResultExpectationsItem(TypedDict):
    expected: Any
    found: Any
    holds: bool
    path: str


class SanctionsScreenInput(TypedDict):
    # The list itself, at most 50,000 names. Default: the stored one that `resource_id` names, else the
    # operator's.
    list: NotRequired[list[SanctionsScreenInputListItem] | None]
    # A name to screen, as the only subject; alone it is screened against the operator's list. Or the id of a
    # stored list (`res_…`), at most 50,000 names, which goes with `subjects`: JSON of the shape of `list`, or
    # CSV. Columns: id, name, aliases, births, countries, programme (several values apart by `;`); or those of
    # the UK Sanctions List (Unique ID, Name 1 to Name 6, D.O.B, Nationality(/ies), Regime Name) or of OFAC's
    # SDN.CSV.
    resource_id: NotRequired[str | None]
    # Who to screen: 1 to 20. Default: the name that `resource_id` gives.
    subjects: NotRequired[list[SanctionsScreenInputSubjectsItem]]
    # Least score of names to report, 0.7 to 1. Default: 0.85.
    threshold: NotRequired[float | None]


class SanctionsScreenInputListItem(TypedDict):
    # Other names and spellings. Default: none.
    aliases: NotRequired[list[str]]
    # Days or years of birth: `YYYY-MM-DD`, `DD/MM/YYYY`, `DD Mon YYYY` or `YYYY`. Default: not known.
    births: NotRequired[list[str]]
    # Countries: nationality, birth or address, by name or code as the list has them. Default: not known.
    countries: NotRequired[list[str]]
    # The list's own id. Default: none.
    id: NotRequired[str | None]
    # The main name.
    name: str
    # Programme or regime. Default: none.
    programme: NotRequired[str | None]


class SanctionsScreenInputSubjectsItem(TypedDict):
    # Day or year of birth: `YYYY-MM-DD` or `YYYY`. Default: not known, so it speaks neither for nor against a
    # match.
    birth: NotRequired[str | None]
    # Countries, written as the list writes them, at most 20. Default: not known.
    countries: NotRequired[list[str]]
    # The name, in any order, in Latin, Cyrillic, Greek or Arabic letters, or a Chinese one of two to four
    # characters; at most 300 characters.
    name: str


class SanctionsScreenResult(TypedDict):
    entries: int
    names: int
    subjects: list[SanctionsScreenResultSubjectsItem]
    threshold: float


class SanctionsScreenResultSubjectsItem(TypedDict):
    matches: list[SanctionsScreenResultSubjectsItemMatchesItem]
    matches_count: int
    name: str
    outcome: str


class SanctionsScreenResultSubjectsItemMatchesItem(TypedDict):
    birth: Literal["agrees", "near", "differs", "unknown"]
    country: Literal["agrees", "near", "differs", "unknown"]
    id: str | None
    matched: str
    name: str
    name_score: float
    programme: str | None


class SecurityScanInput(TypedDict):
    # Files with their paths; at most 200 and 1 MiB in all. Give this, `source` or `resource_id`.
    files: NotRequired[list[SecurityScanInputFilesItem] | None]
    # Language of `source` or of the resource. Default: by `path`, else by the first line.
    language: NotRequired[Literal["python", "javascript", "typescript", "go", "java", "kotlin", "ruby", "php", "rust", "c", "cpp", "shell", "dockerfile", "workflow", "yaml", "terraform", "package_json", "requirements", "cargo_toml", "config", "text"] | None]
    # Most findings to list, the most severe first to stay (1 to 500; default 200).
    max_findings: NotRequired[int | None]
    # Path of `source` or of the resource, for its language and for the findings. Default: none.
    path: NotRequired[str | None]
    # Id of a stored resource (`res_…`): a text file. This bridge has no other natural key; alone, it means:
    # this file, language by its media type or first line, all rules.
    resource_id: NotRequired[str | None]
    # Which rules to apply. Default: all.
    rules: NotRequired[SecurityScanInputRules]
    # The least severity to report. Default: info.
    severity_min: NotRequired[Literal["info", "low", "medium", "high", "critical"] | None]
    # The text of a single file. Give this, `files` or `resource_id`.
    source: NotRequired[str | None]


class SecurityScanInputFilesItem(TypedDict):
    # Its text.
    content: str
    # Its path; decides the language.
    path: str


class SecurityScanInputRules(TypedDict):
    # Not these. Default: none.
    exclude: NotRequired[list[str]]
    # Only these. Default: all.
    include: NotRequired[list[str]]


class SecurityScanResult(TypedDict):
    complete: bool
    files_scanned: int
    findings: list[SecurityScanResultFindingsItem]
    summary: SecurityScanResultSummary
    suppressed: int


class SecurityScanResultFindingsItem(TypedDict):
    column: int
    confidence: Literal["low", "medium", "high"]
    cwe: str
    excerpt: str
    line: int
    message: str
    path: str
    remedy: str
    rule: str
    severity: Literal["info", "low", "medium", "high", "critical"]


class SecurityScanResultSummary(TypedDict):
    critical: int
    high: int
    info: int
    low: int
    medium: int


class SemanticCacheInput(TypedDict):
    # put only: the answer to keep, 1 byte to 32 KiB. Give it with put alone.
    answer: NotRequired[str | None]
    # get only: only exactly the same question. Default: false.
    exact_only: NotRequired[bool]
    # embed only: `auto` (the provider's choice; default), or the id of a provider's model.
    model: NotRequired[str | None]
    # get, put, forget: answers of different namespaces never meet (model, language, user, …). Default:
    # `default`.
    namespace: NotRequired[str | None]
    # What to do. Default: embed.
    op: NotRequired[Literal["embed", "get", "put", "forget"]]
    # Id of a stored resource (`res_…`) with UTF-8 text, at most 32 KiB. This bridge has no other natural key;
    # alone it means: embed this text.
    resource_id: NotRequired[str | None]
    # The text or question, 1 byte to 32 KiB. Give this or `resource_id`.
    text: NotRequired[str | None]
    # get only: least cosine of the vectors of a near match, 0.5 to 1 (default 0.7). The words must agree all
    # the same.
    threshold: NotRequired[float | None]
    # put, and embed by a provider: seconds to keep, 60 to 2,592,000 (default 86,400).
    ttl_s: NotRequired[int | None]


class SemanticCacheResult(TypedDict):
    age_s: int | None
    answer: str | None
    cached: bool
    changed: bool
    embedding: list[float] | None
    matched: Literal["exact", "near"] | None
    model: str | None
    op: Literal["embed", "get", "put", "forget"]
    provider: str | None
    similarity: float | None


class SentimentFeedInput(TypedDict):
    # The time that ages are counted back from; items after it are refused. Default: the newest `ts`.
    as_of: NotRequired[float | str | None]
    # Which words are rated. Default: finance.
    domain: NotRequired[Literal["finance", "general", "news"]]
    # Hours after which an item counts half in the index (0.01 to 100,000). Every item then needs `ts`.
    # Default: age does not matter.
    half_life_hours: NotRequired[float | None]
    # The texts, 1 to 1,000, at most 500,000 bytes in all. Give this or `resource_id`.
    items: NotRequired[list[str | SentimentFeedInputItemsItem] | None]
    # An item whose compound is nearer to 0 than this is neutral (0 to 0.5; default 0.05, as VADER's authors
    # have it, and in the domain `news` 0.1 below and 0.35 above 0).
    neutral_band: NotRequired[float | None]
    # Id of a stored resource (`res_…`): JSON of the shape of `items` (or an object with that member), or
    # plain text with one item in each line. Alone it means: all of its items, finance words, no decay.
    resource_id: NotRequired[str | None]


class SentimentFeedInputItemsItem(TypedDict):
    # Comes back with the score, so that items can be told apart. Default: none.
    id: NotRequired[str | None]
    # English, 1 to 10,000 bytes.
    text: str
    # When it was said. Default: not known.
    ts: NotRequired[float | str | None]
    # How much it counts in the index (above 0, to 1,000,000; default 1).
    weight: NotRequired[float | None]


class SentimentFeedResult(TypedDict):
    counts: SentimentFeedResultCounts
    index: SentimentFeedResultIndex
    items: list[SentimentFeedResultItemsItem]


class SentimentFeedResultCounts(TypedDict):
    negative: int
    neutral: int
    positive: int
    unrated: int


class SentimentFeedResultIndex(TypedDict):
    as_of: str | None
    ci95: SentimentFeedResultIndexCi95 | None
    effective_n: float
    n: int
    value: float


class SentimentFeedResultIndexCi95(TypedDict):
    lower: float
    upper: float


class SentimentFeedResultItemsItem(TypedDict):
    compound: float
    id: NotRequired[str | None]
    index: int
    label: str
    negative: float
    neutral: float
    positive: float
    weight: float
    words: list[SentimentFeedResultItemsItemWordsItem]


class SentimentFeedResultItemsItemWordsItem(TypedDict):
    list: str
    value: float
    word: str


class SummarizationInput(TypedDict):
    # Whose abbreviations do not end a sentence. Default: en.
    language: NotRequired[Literal["de", "en", "es", "fr", "it", "pt", "ru", "other"]]
    # Most characters in the summary; sentences that do not fit are passed over. Default: no limit.
    max_characters: NotRequired[int | None]
    # Most sentences in the summary (1 to 100; default 3).
    max_sentences: NotRequired[int | None]
    # How sentences are ranked. Default: lexrank.
    method: NotRequired[Literal["lexrank", "textrank"]]
    # What the summary should be about, a few words: sentences like it count more. Default: the text as a
    # whole.
    query: NotRequired[str | None]
    # 1: only rank counts; lower: what repeats a chosen sentence is passed over more (0 to 1; default 0.7).
    relevance: NotRequired[float | None]
    # Id of a stored resource (`res_…`): plain text or Markdown in UTF-8. Alone it means: this text, three
    # sentences.
    resource_id: NotRequired[str | None]
    # The text, at most 500,000 bytes and 1,500 sentences. A blank line ends a paragraph, and with it a
    # sentence; a single line break does not. Give this or `resource_id`.
    text: NotRequired[str | None]


class SummarizationResult(TypedDict):
    characters_total: int
    ratio: float
    sentences: list[SummarizationResultSentencesItem]
    sentences_total: int
    summary: str


class SummarizationResultSentencesItem(TypedDict):
    end_byte: int
    end_char: int
    index: int
    order: int
    score: float
    start_byte: int
    start_char: int
    text: str


class TaxJarLookupInput(TypedDict):
    # An amount in the country's currency as decimal text (`19.99`): the tax on it is worked out. Default: no
    # tax is worked out.
    amount: NotRequired[str | None]
    # The same in minor units (1999 pence). Give one of the two. Default: no tax is worked out.
    amount_minor: NotRequired[int | None]
    # The country, as `resource_id` takes it. Give this or `resource_id`.
    country: NotRequired[str | None]
    # The day (`YYYY-MM-DD`) to which the standard rate applies; the newest data unless given. History reaches
    # back only as far as the data know it, and other kinds of rate have none.
    date: NotRequired[str | None]
    # The amount includes the tax. False unless given.
    inclusive: NotRequired[bool | None]
    # For an amount: which rate, in percent, as decimal text (`5.5`). Needed where there are several of a
    # kind; where none can be given as the rate, and in states of the US with local taxes, any rate is taken.
    # Default: the only one of its kind.
    rate_percent: NotRequired[str | None]
    # Only rates of this kind; for an amount, the kind to use (`standard` unless given).
    rate_type: NotRequired[Literal["standard", "reduced", "super_reduced", "parking"] | None]
    # State, province or territory, code or English name: of the US and Canada, and Ceuta (CE), Melilla (ML),
    # Las Palmas (GC) and Tenerife (TF) in Spain. Default: the country as a whole.
    region: NotRequired[str | None]
    # The place as one text, in any case: a country's ISO 3166 code or English name (`GB`, `GBR`, `United
    # Kingdom`; also `UK`, `EL`, and `XI` for goods in Northern Ireland), or country and region (`US-CA`, `CA-
    # ON`). Alone it lists all rates of that place. Not the id of a stored resource.
    resource_id: NotRequired[str | None]


class TaxJarLookupResult(TypedDict):
    combined: TaxJarLookupResultCombined | None
    computed: TaxJarLookupResultComputed | None
    country: str
    country_name: str
    currency: str
    eu_member: bool | None
    local_tax_name: str | None
    local_taxes: Literal["none", "vary"] | None
    rates: list[TaxJarLookupResultRatesItem]
    region: str | None
    region_name: str | None
    regions: list[TaxJarLookupResultRegionsItem]
    tax_name: str


class TaxJarLookupResultCombined(TypedDict):
    complete: bool
    parts: list[TaxJarLookupResultCombinedPartsItem]
    rate_percent: str


class TaxJarLookupResultCombinedPartsItem(TypedDict):
    rate_percent: str
    tax_name: str


class TaxJarLookupResultComputed(TypedDict):
    gross: str
    gross_minor: int
    inclusive: bool
    net: str
    net_minor: int
    parts: list[TaxJarLookupResultComputedPartsItem]
    rate_percent: str
    rounding: str
    tax: str
    tax_minor: int


class TaxJarLookupResultComputedPartsItem(TypedDict):
    rate_percent: str
    tax: str
    tax_name: str


class TaxJarLookupResultRatesItem(TypedDict):
    agreement: Literal["confirmed", "single_source", "disputed", "no_single_rate", "expired"]
    as_of: str
    basis: Literal["national", "state", "combined"]
    candidates: list[TaxJarLookupResultRatesItemCandidatesItem]
    known_since: str | None
    level: str
    made_of: list[TaxJarLookupResultRatesItemMadeOfItem]
    note: str | None
    other_sources: list[TaxJarLookupResultRatesItemOtherSourcesItem]
    rate_percent: str | None
    source: str
    tax_name: str
    then_percent: str | None
    type: Literal["standard", "reduced", "super_reduced", "parking"]
    valid_until: str | None


class TaxJarLookupResultRatesItemCandidatesItem(TypedDict):
    applies_to: str | None
    as_of: str | None
    rate_percent: str
    source: str


class TaxJarLookupResultRatesItemMadeOfItem(TypedDict):
    rate_percent: str
    tax_name: str


class TaxJarLookupResultRatesItemOtherSourcesItem(TypedDict):
    as_of: str | None
    rate_percent: str
    source: str


class TaxJarLookupResultRegionsItem(TypedDict):
    agreement: Literal["confirmed", "single_source", "disputed", "no_single_rate", "expired"]
    basis: Literal["national", "state", "combined"]
    local_taxes: Literal["none", "vary"] | None
    name: str
    rate_percent: str | None
    region: str


class TokenCountInput(TypedDict):
    # The encoding to count in. Default: o200k_base.
    encoding: NotRequired[Literal["o200k_base", "cl100k_base"] | None]
    # A chat, at most 1,000 messages and 1 MiB together: with what OpenAI's chat format adds (3 tokens a
    # message, 1 for a name, 3 for the answer to begin). Give one of the four.
    messages: NotRequired[list[TokenCountInputMessagesItem] | None]
    # Models to count for, at most 20 (`gpt-4o`, `claude-sonnet-4-5`): exact where the model's encoding is one
    # of the two, else an estimate, flagged. Default: none.
    models: NotRequired[list[str]]
    # Tokens that a model is expected to answer with, for the cost. Default: 0.
    output_tokens: NotRequired[int]
    # Id of a stored resource (`res_…`) with UTF-8 text. This bridge has no other natural key; alone, it
    # means: count this file in o200k_base.
    resource_id: NotRequired[str | None]
    # A text, at most 1 MiB. Give one of `text`, `texts`, `messages` and `resource_id`.
    text: NotRequired[str | None]
    # Texts, at most 1,000 and 1 MiB together; counted each. Give one of the four.
    texts: NotRequired[list[str] | None]
    # Also give the token ids of each text in `encoding`, the first 10,000 of all. Default: false.
    with_ids: NotRequired[bool]


class TokenCountInputMessagesItem(TypedDict):
    # What is said.
    content: str
    # Who of several with this role speaks. Default: nobody.
    name: NotRequired[str | None]
    # Who speaks: system, user, assistant, …
    role: str


class TokenCountResult(TypedDict):
    encoding: Literal["o200k_base", "cl100k_base"]
    models: list[TokenCountResultModelsItem]
    overhead: int
    texts: list[TokenCountResultTextsItem]
    tokens: int


class TokenCountResultModelsItem(TypedDict):
    encoding: Literal["o200k_base", "cl100k_base"]
    exact: bool
    input_usd: str | None
    model: str
    output_usd: str | None
    provider: str | None
    tokens: int
    total_usd: str | None


class TokenCountResultTextsItem(TypedDict):
    bytes: int
    characters: int
    ids: list[int] | None
    tokens: int


class TranslationInput(TypedDict):
    # Terms and what they must be in the translation, at most 200. Default: none.
    glossary: NotRequired[list[TranslationInputGlossaryItem]]
    # Names and terms that must stay as they are, at most 200. Default: none.
    keep: NotRequired[list[str]]
    # A model's id; default `auto`, the host's choice.
    model: NotRequired[str | None]
    # Id of a stored resource (`res_…`) with UTF-8 text, at most 32 KiB. This bridge has no other natural key;
    # alone it means: translate this text into English.
    resource_id: NotRequired[str | None]
    # Language of the text, likewise; the model tells by itself unless given.
    source: NotRequired[str | None]
    # Language of the translation: a code (`de`, `pt-BR`) or English name. Default: en.
    target: NotRequired[str | None]
    # The text, at most 32 KiB. Give this or `resource_id`.
    text: NotRequired[str | None]


class TranslationInputGlossaryItem(TypedDict):
    # As it stands in the text; case does not matter.
    term: str
    # What must stand in the translation.
    translation: str


class TranslationResult(TypedDict):
    attempts: int
    checks: list[TranslationResultChecksItem]
    cost_millipence: int
    input_tokens: int
    model: str
    output_tokens: int
    passed: bool
    provider: str
    target: str
    translation: str


class TranslationResultChecksItem(TypedDict):
    added: list[str]
    missing: list[str]
    name: str
    passed: bool


class ValidationInput(TypedDict):
    # Does `format` in the schema assert? As the draft has it, it does not unless asked. Default: false.
    assert_formats: NotRequired[bool]
    # Statements about places in the output, at most 1,000. Default: none.
    assertions: NotRequired[list[ValidationInputAssertionsItem]]
    # What the output is. `json`: a text is parsed first, and what is not JSON is a finding. `text`: it is
    # checked as text. Absent: `output` as it stands, a resource by its media type.
    content: NotRequired[Literal["json", "text"] | None]
    # How many findings to list at most, 1 to 500; 100 unless given.
    max_errors: NotRequired[int | None]
    # The output to check: any JSON, or a text. Give this or `resource_id`.
    output: NotRequired[Any]
    # Id of a stored resource whose bytes are the output to check: JSON or text by its media type (else JSON
    # if it parses). Alone it only checks that JSON parses, or that text is UTF-8.
    resource_id: NotRequired[str | None]
    # A JSON Schema, draft 2020-12: an object, true or false. Nothing is fetched: what it refers to must be in
    # it, or in `schemas`. Patterns are matched in linear time, so without lookaround and backreferences.
    # Default: none.
    schema: NotRequired[Any]
    # Schemas that `$ref` in `schema`, or in one of these, may name: each under its absolute URI, without a
    # fragment. At most 50, and 256 KiB with `schema`. A meta-schema that `$schema` names may be one of them:
    # its `$vocabulary` then says which keywords have a meaning. Default: none.
    schemas: NotRequired[dict[str, Any]]


class ValidationInputAssertionsItem(TypedDict):
    # For `unique` and `sum_equals`: JSON pointer inside each item. Default: the items themselves.
    each: NotRequired[str | None]
    # What to say if it does not hold; else a message is made.
    message: NotRequired[str | None]
    # What is stated about it.
    op: Literal["equals", "not_equals", "exists", "absent", "type", "gt", "gte", "lt", "lte", "length_min", "length_max", "contains", "not_contains", "matches", "one_of", "format", "unique", "sum_equals"]
    # JSON pointer of the value (`/items/0/price`); empty or absent for the output as a whole.
    path: NotRequired[str]
    # With what; see the operator. Default: none; most operators need one.
    value: NotRequired[Any]


class ValidationResult(TypedDict):
    checked: ValidationResultChecked
    errors: list[ValidationResultErrorsItem]
    truncated: bool
    valid: bool


class ValidationResultChecked(TypedDict):
    assertions: int
    content: Literal["json", "text"]
    formats: bool
    schema: bool


class ValidationResultErrorsItem(TypedDict):
    actual: NotRequired[Any]
    assertion: NotRequired[int | None]
    expected: NotRequired[Any]
    keyword: str
    message: str
    path: str
    schema_path: NotRequired[str | None]
    schema_uri: NotRequired[str | None]


class VatNumberCheckInput(TypedDict):
    # The country, needed where the number does not begin with its letters: ISO 3166-1 alpha-2 code, also EL,
    # UK, XI (Northern Ireland) and XK. Default: by the first letters.
    country: NotRequired[str | None]
    # The VAT number with the letters of its country (`DE136695976`); alone it is checked. Not the id of a
    # stored resource.
    resource_id: NotRequired[str | None]
    # The VAT number in any written form; spaces, full stops, hyphens, slashes and brackets are taken away. At
    # most 60 bytes. Give this or `resource_id`.
    vat_number: NotRequired[str | None]


class VatNumberCheckResult(TypedDict):
    check_digits: Literal["passed", "failed", "no_rule", "not_checked"]
    country: str
    country_name: str
    eu_member: bool
    expected_format: str
    faults: list[VatNumberCheckResultFaultsItem]
    format_ok: bool
    national_number: str
    register: VatNumberCheckResultRegister | None
    rule: str | None
    valid: bool
    vat_number: str
    vies: str
    vies_available: bool


class VatNumberCheckResultFaultsItem(TypedDict):
    code: str
    message: str


class VatNumberCheckResultRegister(TypedDict):
    name: str
    number: str


class AnalyticsAnomalyDetectionAgentInput(TypedDict):
    # Only values above (`high`) or below (`low`) the usual. Default: both.
    direction: NotRequired[Literal["high", "low"] | None]
    # What to report: `points`, `levels` or `all`. Default: all.
    find: NotRequired[Literal["points", "levels", "all"] | None]
    # Names of the values, as many: dates, names.
    labels: NotRequired[list[str] | None]
    # The caller's own limits, in place of the statistical judgement.
    limits: NotRequired[AnalyticsAnomalyDetectionAgentInputLimits | None]
    # Points in one cycle. Default: detected.
    period: NotRequired[int | None]
    # How much to report: `low`, `normal` or `high`. Default: normal.
    sensitivity: NotRequired[Literal["low", "normal", "high"] | None]
    # Several series instead of `values`, at most 20.
    series: NotRequired[list[AnalyticsAnomalyDetectionAgentInputSeriesItem] | None]
    # The values of one series in order of time, 3 to 20,000.
    values: NotRequired[list[float] | None]


class AnalyticsAnomalyDetectionAgentInputLimits(TypedDict):
    # Values farther than this many standard deviations from the mean are reported.
    deviations: NotRequired[float | None]
    # Values below this are reported.
    lower: NotRequired[float | None]
    # Values farther than this many percent from the median are reported.
    percent_of_median: NotRequired[float | None]
    # Values outside Tukey's fences are reported: the quartiles, less or plus this many interquartile ranges.
    quartile_ranges: NotRequired[float | None]
    # Values that differ from the value before by more than this are reported.
    step: NotRequired[float | None]
    # Values that differ from the value before by more than this many percent are reported.
    step_percent: NotRequired[float | None]
    # Values above this are reported.
    upper: NotRequired[float | None]


class AnalyticsAnomalyDetectionAgentInputSeriesItem(TypedDict):
    # Names of the values, as many.
    labels: NotRequired[list[str]]
    # Its name.
    name: NotRequired[str | None]
    # The values in order of time.
    values: list[float]


class AnalyticsAnomalyDetectionAgentOutput(TypedDict):
    # Points that stand out, by series and position; at most 500 of each series.
    anomalies: list[AnalyticsAnomalyDetectionAgentOutputAnomaliesItem]
    # The series that were examined.
    based_on: list[AnalyticsAnomalyDetectionAgentOutputBasedOnItem]
    # Positions from which a series runs on another level, at most 5 of each series.
    level_changes: list[AnalyticsAnomalyDetectionAgentOutputLevelChangesItem]
    # What the answer does not cover.
    limitations: list[str]
    # How the points were judged.
    method: str
    # The answer in words.
    summary: str


class AnalyticsAnomalyDetectionAgentOutputAnomaliesItem(TypedDict):
    # The value that would be usual there.
    expected: float
    # The same in words.
    explanation: str
    # Its position in the series, from 0.
    index: int
    # Its label as written, if it has one.
    label: str | None
    # Its distance, in the unit of the method (mostly robust standard deviations); 0 for limits of the caller.
    score: float
    # The series, if there are several.
    series: str | None
    # Its value.
    value: float


class AnalyticsAnomalyDetectionAgentOutputBasedOnItem(TypedDict):
    # Number of its values.
    count: int
    # The highest value.
    highest: float
    # The lowest value.
    least: float
    # The median.
    median: float
    # Its name, if it has one.
    series: str | None


class AnalyticsAnomalyDetectionAgentOutputLevelChangesItem(TypedDict):
    # Median of the stretch after.
    after: float
    # Median of the stretch before.
    before: float
    # Place of the first point of the new level, from 0.
    index: int
    # Its label, if it has one.
    label: str | None
    # Their difference in robust standard deviations within the stretches.
    score: float
    # The series, where there are several.
    series: str | None


AnalyticsForecastAgentInput = TypedDict("AnalyticsForecastAgentInput", {
    "frequency": "NotRequired[str | None]",
    "from": "NotRequired[str | None]",
    "horizon": "NotRequired[int | None]",
    "ignore": "NotRequired[list[str] | None]",
    "labels": "NotRequired[list[str] | None]",
    "maximum": "NotRequired[float | None]",
    "minimum": "NotRequired[float | None]",
    "period": "NotRequired[int | None]",
    "series": "NotRequired[list[float | None] | None]",
    "several": "NotRequired[list[AnalyticsForecastAgentInputSeveralItem] | None]",
    "start": "NotRequired[str | None]",
    "target": "NotRequired[float | None]",
    "totals": "NotRequired[list[str] | None]",
    "until": "NotRequired[str | None]",
    "values": "NotRequired[list[float | None] | None]",
})


class AnalyticsForecastAgentInputSeveralItem(TypedDict):
    # Labels of the values, as many. Default: those of the input.
    labels: NotRequired[list[str]]
    # Its name.
    name: NotRequired[str | None]
    # The values in order of time; null for a missing value.
    values: list[float | None]


class AnalyticsForecastAgentOutput(TypedDict):
    # Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null if the
    # series is too short to test.
    backtest_mase: float | None
    # The series as it was used.
    based_on: AnalyticsForecastAgentOutputBasedOn
    # Where the series goes from the last value to the last step: `up`, `down`, or `flat` for less than 2 %.
    direction: str
    # The steps ahead, in order.
    forecast: list[AnalyticsForecastAgentOutputForecastItem]
    # The distance between two values: hour, day, week, month, quarter or year; null if nothing states it.
    frequency: str | None
    # The last value.
    last_value: float
    # What the answer does not cover.
    limitations: list[str]
    # The method.
    method: str
    # The forecasts of the other series, in order.
    others: list[AnalyticsForecastAgentOutputOthersItem]
    # Points in one cycle; 1 if there is no season.
    period: int
    # The first step at which the requested value is reached.
    reached: AnalyticsForecastAgentOutputReached | None
    # The answer in words.
    summary: str
    # The requested totals.
    totals: list[AnalyticsForecastAgentOutputTotalsItem]
    # Unusual points of the past, which may bend the forecast.
    unusual: list[AnalyticsForecastAgentOutputUnusualItem]


class AnalyticsForecastAgentOutputBasedOn(TypedDict):
    # Values that were filled in or left out, in words.
    changed: list[str]
    # Their labels, if they have any.
    labels: list[str]
    # The name of the series, if it has one.
    series: str | None
    # The values in order of time.
    values: list[float]


class AnalyticsForecastAgentOutputForecastItem(TypedDict):
    # Upper end of the 95 % range.
    high: float
    # Its label, in the style of the series; null if the series has no labels.
    label: str | None
    # Lower end of the 95 % range.
    low: float
    # Steps after the last value, from 1.
    step: int
    # The expected value.
    value: float


class AnalyticsForecastAgentOutputOthersItem(TypedDict):
    # Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null if the
    # series is too short to test.
    backtest_mase: float | None
    # The series as it was used.
    based_on: AnalyticsForecastAgentOutputOthersItemBasedOn
    # Where the series goes from the last value to the last step: `up`, `down`, or `flat` for less than 2 %.
    direction: str
    # The steps ahead, in order.
    forecast: list[AnalyticsForecastAgentOutputOthersItemForecastItem]
    # The distance between two values: hour, day, week, month, quarter or year; null if nothing states it.
    frequency: str | None
    # The last value.
    last_value: float
    # The method.
    method: str
    # Points in one cycle; 1 if there is no season.
    period: int
    # The first step at which the requested value is reached.
    reached: AnalyticsForecastAgentOutputOthersItemReached | None
    # The requested totals.
    totals: list[AnalyticsForecastAgentOutputOthersItemTotalsItem]
    # Unusual points of the past, which may bend the forecast.
    unusual: list[AnalyticsForecastAgentOutputOthersItemUnusualItem]


class AnalyticsForecastAgentOutputOthersItemBasedOn(TypedDict):
    # Values that were filled in or left out, in words.
    changed: list[str]
    # Their labels, if they have any.
    labels: list[str]
    # The name of the series, if it has one.
    series: str | None
    # The values in order of time.
    values: list[float]


class AnalyticsForecastAgentOutputOthersItemForecastItem(TypedDict):
    # Upper end of the 95 % range.
    high: float
    # Its label, in the style of the series; null if the series has no labels.
    label: str | None
    # Lower end of the 95 % range.
    low: float
    # Steps after the last value, from 1.
    step: int
    # The expected value.
    value: float


class AnalyticsForecastAgentOutputOthersItemReached(TypedDict):
    # The label of that step.
    label: str | None
    # The first step at or beyond it.
    step: int
    # The value to reach.
    target: float
    # The expected value there.
    value: float


class AnalyticsForecastAgentOutputOthersItemTotalsItem(TypedDict):
    # The part of it that is past.
    actual: float
    # The period that is summed, as requested.
    label: str
    # Steps ahead in it.
    steps: int
    # The sum.
    value: float


class AnalyticsForecastAgentOutputOthersItemUnusualItem(TypedDict):
    # The value that would be usual there.
    expected: float
    # Its position, from 0.
    index: int
    # Its label, if it has one.
    label: str | None
    # Its value.
    value: float


class AnalyticsForecastAgentOutputReached(TypedDict):
    # The label of that step.
    label: str | None
    # The first step at or beyond it.
    step: int
    # The value to reach.
    target: float
    # The expected value there.
    value: float


class AnalyticsForecastAgentOutputTotalsItem(TypedDict):
    # The part of it that is past.
    actual: float
    # The period that is summed, as requested.
    label: str
    # Steps ahead in it.
    steps: int
    # The sum.
    value: float


class AnalyticsForecastAgentOutputUnusualItem(TypedDict):
    # The value that would be usual there.
    expected: float
    # Its position, from 0.
    index: int
    # Its label, if it has one.
    label: str | None
    # Its value.
    value: float


class ClassificationAgentInput(TypedDict):
    # Whether the first label whose rule fits is taken. Default: a text that fits two rules is an error.
    first_match: NotRequired[bool | None]
    # The labels, 2 to 50; one is enough if it has a rule.
    labels: NotRequired[list[ClassificationAgentInputLabelsItem] | None]
    # What rules with numbers compare. Default: the only number of the text.
    measure: NotRequired[Literal["number", "words", "characters", "days"] | None]
    # A best score of the bridge below this gives no label, 0 to 1. Default: 0.
    min_score: NotRequired[float | None]
    # The texts, 1 to 200. Default: the lines of the task.
    texts: NotRequired[list[str] | None]
    # The date of today, for the measure `days`: `2024-03-04`.
    today: NotRequired[str | None]
    # The numbers that rules compare, one for each text, instead of a measure.
    values: NotRequired[list[float] | None]


class ClassificationAgentInputLabelsItem(TypedDict):
    # What belongs here, in words that such texts use.
    description: NotRequired[str | None]
    # Texts that belong here, at most 200.
    examples: NotRequired[list[str]]
    # Its name, unique.
    name: str
    # When a text gets this label. If one label has a rule, all need one.
    rule: NotRequired[ClassificationAgentInputLabelsItemRule | None]


class ClassificationAgentInputLabelsItemRule(TypedDict):
    # The number is more than this.
    above: NotRequired[float | None]
    # The number is this or more.
    at_least: NotRequired[float | None]
    # The number is this or less.
    at_most: NotRequired[float | None]
    # The number is less than this.
    below: NotRequired[float | None]
    # The text ends with one of these.
    ends: NotRequired[list[str]]
    # The text fits no other rule.
    otherwise: NotRequired[bool]
    # A regular expression that the text matches.
    pattern: NotRequired[str | None]
    # The text begins with one of these.
    starts: NotRequired[list[str]]
    # The text has one of these words or phrases; case and accents do not matter.
    words: NotRequired[list[str]]


class ClassificationAgentOutput(TypedDict):
    # What the labels rest on: `rules`, `words and meaning`, `words`, or `model`.
    labels_from: str
    # What the answer does not cover.
    limitations: list[str]
    # The result in words.
    summary: str
    # The texts, in order.
    texts: list[ClassificationAgentOutputTextsItem]


class ClassificationAgentOutputTextsItem(TypedDict):
    # Words of the text that point to the label.
    because_of: list[str]
    # The share of right labels among texts with a choice as clear as this one, measured on texts of other
    # callers; only where meaning was compared.
    confidence: NotRequired[float | None]
    # The label; null if none is certain enough.
    label: str | None
    # Its language, ISO 639-1, if it was detected.
    language: str | None
    # Why there is no label.
    reason: NotRequired[str | None]
    # The scores of the bridge, best first.
    scores: list[ClassificationAgentOutputTextsItemScoresItem]
    # Its beginning, at most 80 characters.
    text: str


class ClassificationAgentOutputTextsItemScoresItem(TypedDict):
    # The label.
    label: str
    # A probability or a cosine, by the method of the bridge.
    score: float


class CodeReviewAgentInput(TypedDict):
    # A unified diff (`git diff`) instead: only added lines are reviewed.
    diff: NotRequired[str | None]
    # Whether the code is known to have a fault: a review without one is then refused. Default: false.
    fault: NotRequired[bool | None]
    # Files with their paths, at most 200 and 1 MiB in all. The task's own code or diff unless given.
    files: NotRequired[list[CodeReviewAgentInputFilesItem] | None]
    # Only remarks of these kinds. Default: all, without matters of taste.
    focus: NotRequired[list[Literal["security", "defects", "unused", "style", "complexity"]] | None]


class CodeReviewAgentInputFilesItem(TypedDict):
    # Its text.
    content: str
    # Its path, whose ending tells the language.
    path: str


class CodeReviewAgentOutput(TypedDict):
    # What the answer does not cover.
    limitations: list[str]
    # What was looked for; a clean review means only that none of it was found.
    looked_for: list[str]
    # Size of the reviewed code.
    measures: CodeReviewAgentOutputMeasures
    # All remarks, the gravest first.
    remarks: list[CodeReviewAgentOutputRemarksItem]
    # The result in words.
    summary: str
    # `blocked` by a remark of severity high or above, `remarks`, or `clean`.
    verdict: str


class CodeReviewAgentOutputMeasures(TypedDict):
    # Lines with code.
    code_lines: int
    # Share of the code in duplicates, 0 to 1.
    duplicated_share: float
    # Files.
    files: int
    # Functions.
    functions: int
    # The highest cyclomatic complexity of a function.
    most_cyclomatic: int


class CodeReviewAgentOutputRemarksItem(TypedDict):
    # What it is about.
    kind: Literal["security", "defect", "performance", "complexity", "unused", "duplicate", "style"]
    # The line, from 1; in a diff the line of the new file.
    line: int
    # What is wrong.
    message: str
    # The file.
    path: str
    # The line as written; empty for a secret.
    quote: str
    # What to do.
    remedy: str
    # The rule or measure behind it.
    rule: str
    # critical, high, medium, low or info.
    severity: Literal["critical", "high", "medium", "low", "info"]


class CodingAgentInput(TypedDict):
    # Existing code that `description` wants to be changed.
    code: NotRequired[str | None]
    # What to write, in words. The task unless given.
    description: NotRequired[str | None]
    # What calls should give, at most 20.
    examples: NotRequired[list[CodingAgentInputExamplesItem] | None]
    # The result of `function` as arithmetic of `parameters`: `c * 9 / 5 + 32`. Needs no model in Python,
    # JavaScript, TypeScript, Ruby and Lua.
    formula: NotRequired[str | None]
    # Name of the function that the code must define.
    function: NotRequired[str | None]
    # The language. Default: Python.
    language: NotRequired[Literal["python", "javascript", "typescript", "rust", "go", "java", "c", "cpp", "csharp", "kotlin", "php", "ruby", "swift", "lua", "sql", "bash", "r", "perl", "dart", "scala", "powershell"] | None]
    # Names of its parameters, in order.
    parameters: NotRequired[list[str] | None]


class CodingAgentInputExamplesItem(TypedDict):
    # The call as code: `add(1, 2)`.
    call: str
    # Its result: `3`.
    gives: str


class CodingAgentOutput(TypedDict):
    # The code.
    code: str
    # The examples, each against the functions: name and number of arguments.
    examples: list[CodingAgentOutputExamplesItem]
    # What the check of the form covers.
    form_check: str
    # The functions in it.
    functions: list[CodingAgentOutputFunctionsItem]
    # Its language.
    language: Literal["python", "javascript", "typescript", "rust", "go", "java", "c", "cpp", "csharp", "kotlin", "php", "ruby", "swift", "lua", "sql", "bash", "r", "perl", "dart", "scala", "powershell"]
    # What the answer does not cover.
    limitations: list[str]
    # The model that wrote it; `rules` if the request states a formula.
    model: str
    # Whether the check of the form found no mistake; code with one is not given.
    parses: bool
    # The result in words.
    summary: str


class CodingAgentOutputExamplesItem(TypedDict):
    # The call.
    call: str
    # Whether the code has such a function with so many parameters.
    fits: bool
    # Why, or why not.
    reason: str


class CodingAgentOutputFunctionsItem(TypedDict):
    # Cyclomatic complexity: 1 and one for each decision.
    cyclomatic: int
    # Its first line, from 1.
    line: int
    # Its name.
    name: str
    # How many parameters it has.
    parameters: int


class ComplianceAuditAgentInput(TypedDict):
    # Whether a label without a value, or with a blank line to fill in, counts as present. Default: false.
    accept_blank: NotRequired[bool | None]
    # What to look for, at most 40 items: `IBAN`, `valid VAT number`, `e-mail address`, a text in quotation
    # marks, a label with a value. Items that need meaning need a model. Default, if nothing else is asked:
    # personal data, tax numbers, accounts and sanctions.
    checklist: NotRequired[list[str] | None]
    # One document instead, as its text.
    document: NotRequired[str | None]
    # The documents, at most 20 and 90,000 bytes in all. The task's own text unless given.
    documents: NotRequired[list[ComplianceAuditAgentInputDocumentsItem] | None]
    # Labels that the documents must have, at most 40; decided by the labels alone.
    labels: NotRequired[list[str] | None]
    # Persons and companies to look for on the list, at most 20.
    parties: NotRequired[list[str] | None]
    # Texts that the documents must contain word for word, at most 40.
    phrases: NotRequired[list[str] | None]
    # Personal data to replace; the documents are returned without them.
    redact: NotRequired[ComplianceAuditAgentInputRedact | None]
    # The sanctions list: objects with `name` and, if wanted, `aliases`, `births`, `countries`. None is
    # included.
    sanctions_list: NotRequired[list[dict[str, Any]] | None]


class ComplianceAuditAgentInputDocumentsItem(TypedDict):
    # Its name.
    name: str
    # Its text.
    text: str


class ComplianceAuditAgentInputRedact(TypedDict):
    # The replacement: `replace` (`[EMAIL]`, the default), `mask` (`*` for each letter and digit) or
    # `pseudonym` (`[EMAIL_1]`).
    mode: NotRequired[Literal["replace", "mask", "pseudonym"] | None]
    # Kinds of personal data. Default: all of them.
    types: NotRequired[list[Literal["email", "iban", "card", "nhs_number", "national_insurance", "us_ssn", "ip_address", "date_of_birth", "phone", "name"]] | None]


class ComplianceAuditAgentOutput(TypedDict):
    # Every item of the checklist.
    items: list[ComplianceAuditAgentOutputItemsItem]
    # What the answer does not cover.
    limitations: list[str]
    # Items that need attention.
    open: int
    # The documents without the personal data, if redaction was requested.
    redacted: NotRequired[list[ComplianceAuditAgentOutputRedactedItem] | None]
    # The result in words.
    summary: str


class ComplianceAuditAgentOutputItemsItem(TypedDict):
    # Words of the documents that show it.
    evidence: list[str]
    # The same in words.
    message: str
    # What was looked for.
    name: str
    # Whether the documents have it; null if the item is not of that kind.
    present: bool | None
    # Its result.
    status: Literal["in_order", "look", "fails", "missing", "not_applicable", "not_checked"]


class ComplianceAuditAgentOutputRedactedItem(TypedDict):
    # Its name.
    name: str
    # Its text.
    text: str


class DataAggregationAgentInput(TypedDict):
    # Columns of the resulting rows. Default: all.
    columns: NotRequired[list[str] | None]
    # Compares the two tables by these key columns: rows that are missing, added or different.
    compare: NotRequired[list[str] | None]
    # Leaves out repeated rows.
    deduplicate: NotRequired[DataAggregationAgentInputDeduplicate | None]
    # Figures of each group, and of all rows. Default: the number of rows.
    figures: NotRequired[list[DataAggregationAgentInputFiguresItem] | None]
    # Columns to group by; `year of`, `quarter of`, `month of`, `week of` or `weekday of` and a column of
    # dates, such as `month of ordered`. Default: one group of all rows.
    group_by: NotRequired[list[str] | None]
    # Puts the two tables side by side.
    join: NotRequired[DataAggregationAgentInputJoin | None]
    # Column that names a record: rows with the same value there are one record. Default: `id` if it exists
    # and only `tables` and `group_by` are given.
    key: NotRequired[str | None]
    # How numbers and dates are written, if the cells do not show it.
    notation: NotRequired[DataAggregationAgentInputNotation | None]
    # A row for each value of one column and a column for each value of another, with the first of `figures`.
    pivot: NotRequired[DataAggregationAgentInputPivot | None]
    # Order of the rows or groups. Default: rows as given, groups by their names.
    sort: NotRequired[list[DataAggregationAgentInputSortItem] | None]
    # The tables, at most 20. Default: the tables of the task.
    tables: NotRequired[list[DataAggregationAgentInputTablesItem] | None]
    # Keeps so many rows or groups from the first, and those that equal the last one kept.
    top: NotRequired[int | None]
    # Conditions that rows must meet, all of them.
    where: NotRequired[list[DataAggregationAgentInputWhereItem] | None]


class DataAggregationAgentInputDeduplicate(TypedDict):
    # Columns that are equal in repeated rows. Default: all.
    by: NotRequired[list[str] | None]
    # Which row stays: `first`, `last`, or the one with the `highest` (newest) or `lowest` value of `of`.
    # Default: first.
    keep: NotRequired[Literal["first", "last", "highest", "lowest"] | None]
    # The column of `highest` and `lowest`.
    of: NotRequired[str | None]


class DataAggregationAgentInputFiguresItem(TypedDict):
    # What is computed.
    measure: Literal["sum", "mean", "median", "min", "max", "count", "distinct", "share", "ratio", "percentage", "only"]
    # Its name in the answer. Default: such as `sum of amount`.
    name: NotRequired[str | None]
    # A column, or a formula over columns such as `qty * price` that is computed in each row. `count` and
    # `share` count rows without it.
    of: NotRequired[str | None]
    # The divisor of `ratio` and `percentage`: a column or formula.
    over: NotRequired[str | None]
    # Adds so many percent to the figure, such as 19 for VAT.
    plus_percent: NotRequired[float | None]
    # Conditions on the rows of this figure alone, besides those of all.
    where: NotRequired[list[DataAggregationAgentInputFiguresItemWhereItem] | None]


DataAggregationAgentInputFiguresItemWhereItem = TypedDict("DataAggregationAgentInputFiguresItemWhereItem", {
    "column": "str",
    "is": "Literal[\"=\", \"!=\", \"<\", \"<=\", \">\", \">=\", \"between\", \"not_between\", \"one_of\", \"none_of\", \"contains\", \"not_contains\", \"starts_with\", \"ends_with\", \"empty\", \"not_empty\"]",
    "other": "NotRequired[str | None]",
    "value": "NotRequired[str | float | None]",
    "values": "NotRequired[list[str | float] | None]",
})


DataAggregationAgentInputJoin = TypedDict("DataAggregationAgentInputJoin", {
    "kind": "NotRequired[Literal[\"inner\", \"left\", \"full\"] | None]",
    "on": "str",
    "with": "NotRequired[str | None]",
})


class DataAggregationAgentInputNotation(TypedDict):
    # Whether `01/02/2024` is in February (`day_first`) or in January (`month_first`). Default: as the cells
    # show; an error if they can mean both.
    dates: NotRequired[Literal["day_first", "month_first"] | None]
    # The decimal sign, `point` or `comma`. Default: as the cells show; an error if they can mean both.
    decimal: NotRequired[Literal["point", "comma"] | None]


class DataAggregationAgentInputPivot(TypedDict):
    # The column, or part of a date, of the columns.
    columns: str
    # The column, or part of a date, of the rows.
    rows: str


class DataAggregationAgentInputSortItem(TypedDict):
    # A column of the result, or the name of a figure such as `sum of amount`.
    by: str
    # Highest first. Default: lowest first.
    descending: NotRequired[bool]


class DataAggregationAgentInputTablesItem(TypedDict):
    # CSV with a header, Markdown, or a JSON array of objects.
    data: NotRequired[str | None]
    # Its name. Default: `table 1` and so on.
    name: NotRequired[str | None]
    # JSON objects instead.
    rows: NotRequired[list[dict[str, Any]] | None]


DataAggregationAgentInputWhereItem = TypedDict("DataAggregationAgentInputWhereItem", {
    "column": "str",
    "is": "Literal[\"=\", \"!=\", \"<\", \"<=\", \">\", \">=\", \"between\", \"not_between\", \"one_of\", \"none_of\", \"contains\", \"not_contains\", \"starts_with\", \"ends_with\", \"empty\", \"not_empty\"]",
    "other": "NotRequired[str | None]",
    "value": "NotRequired[str | float | None]",
    "values": "NotRequired[list[str | float] | None]",
})


class DataAggregationAgentOutput(TypedDict):
    # Rows that may mean the same, by their places in `rows`, from 0.
    alike: list[DataAggregationAgentOutputAlikeItem]
    # Figures of all rows, each with the rows that it is based on.
    answers: list[DataAggregationAgentOutputAnswersItem]
    # Columns of the resulting table, with their types.
    columns: list[DataAggregationAgentOutputColumnsItem]
    # Records whose sources disagree.
    conflicts: list[DataAggregationAgentOutputConflictsItem]
    # Rows that were left out because an equal one is there.
    duplicates_removed: int
    # Groups with their figures; of merged tables, with the sums of every numeric column.
    groups: list[DataAggregationAgentOutputGroupsItem]
    # What the answer does not cover.
    limitations: list[str]
    # Its rows, at most 1,000: merged, joined, sorted or pivoted rows, or a row for each group.
    rows: list[dict[str, str]]
    # Number of all its rows.
    rows_total: int
    # The result in words.
    summary: str


class DataAggregationAgentOutputAlikeItem(TypedDict):
    # The first row.
    a: int
    # The second.
    b: int
    # How likely, 0 to 1: an order rather than a chance.
    probability: float


class DataAggregationAgentOutputAnswersItem(TypedDict):
    # The rows of the table that it is based on, from 1, at most 200.
    rows: list[int]
    # Its value: a number or a date; null if no row has one.
    value: Any
    # What it is: `sum of amount`, `count of rows where status = paid`.
    what: str


class DataAggregationAgentOutputColumnsItem(TypedDict):
    # Cells without a value.
    missing: int
    # Its name.
    name: str
    # The type of its values.
    type: str


class DataAggregationAgentOutputConflictsItem(TypedDict):
    # The column.
    column: str
    # The value that was kept.
    kept: str
    # Value of the key column.
    key: str
    # The other one.
    other: str
    # The table that has it.
    table: str


class DataAggregationAgentOutputGroupsItem(TypedDict):
    # Those values, by column.
    of: dict[str, str]
    # How many rows.
    rows: int
    # Sum of each numeric column, exactly.
    sums: dict[str, float]
    # The figures, by their names.
    values: dict[str, Any]


class DataExtractionAgentInput(TypedDict):
    # How 3/4/2024 is read. Default: such a date has no value, unless other dates of the text show the order.
    dates: NotRequired[Literal["day_first", "month_first"] | None]
    # The decimal sign. Default: as other numbers of the text show.
    decimals: NotRequired[Literal["point", "comma"] | None]
    # Fields to fill, at most 50. Default: everything that is found.
    fields: NotRequired[list[DataExtractionAgentInputFieldsItem] | None]
    # HTML instead.
    html: NotRequired[str | None]
    # A JSON Schema that the `values` must fit.
    schema: NotRequired[dict[str, Any] | None]
    # The text, at most 100,000 bytes: lines such as `Label: value`, tables, JSON. The task's own text unless
    # given.
    text: NotRequired[str | None]


class DataExtractionAgentInputFieldsItem(TypedDict):
    # Whether all values with this label are returned, as a list. Default: false; a column of a table with
    # several rows is always a list.
    all: NotRequired[bool | None]
    # Whether the field is the list of all values of its kind (email, phone, date, amount, iban, url), with or
    # without a label. Default: false.
    everywhere: NotRequired[bool | None]
    # What it is. Default: text.
    kind: NotRequired[Literal["text", "number", "amount", "date", "email", "phone", "iban", "url"]]
    # The label before it in the text, the name of a column, or a path in JSON. Default: the name, `_` as
    # space.
    label: NotRequired[str | None]
    # Its name in the answer.
    name: str
    # Whether the task is refused if the field has no value. Default: false; the field is then null, and
    # `notes` has the reason.
    required: NotRequired[bool | None]


class DataExtractionAgentOutput(TypedDict):
    # Whether the values fit the schema; null without one.
    fits_schema: bool | None
    # Everything found, by place.
    found: list[DataExtractionAgentOutputFoundItem]
    # What the answer does not cover.
    limitations: list[str]
    # Fields without a value.
    missing: list[str]
    # Why a field has no value, or how it was decided without its label.
    notes: NotRequired[dict[str, str]]
    # Where they do not.
    schema_problems: list[DataExtractionAgentOutputSchemaProblemsItem]
    # The result in words.
    summary: str
    # The text that places refer to; null where it was given as it is.
    text: str | None
    # Value by field; null where the text has none.
    values: dict[str, Any]


class DataExtractionAgentOutputFoundItem(TypedDict):
    # labelled, amount, date, url, email, phone, iban, card, name and so on.
    kind: str
    # The label before it.
    label: str | None
    # Place of its first character, from 0, in characters.
    start: int
    # The value as written; a date as YYYY-MM-DD.
    value: Any


class DataExtractionAgentOutputSchemaProblemsItem(TypedDict):
    # What is wrong.
    message: str
    # JSON pointer into `values`.
    path: str


class DataValidationAgentInput(TypedDict):
    # The records as text: CSV with a header, JSON lines or a JSON array. Default: the table of the task.
    data: NotRequired[str | None]
    # How numbers and dates are written, if the cells do not show it.
    notation: NotRequired[DataValidationAgentInputNotation | None]
    # The records as JSON objects instead, at most 10,000.
    records: NotRequired[list[dict[str, Any]] | None]
    # The rules to check. Default: the table is described as a whole, with its gaps, repeats and outliers.
    rules: NotRequired[list[DataValidationAgentInputRulesItem | DataValidationAgentInputRulesItem_ | DataValidationAgentInputRulesItem__ | DataValidationAgentInputRulesItem___ | DataValidationAgentInputRulesItem____ | DataValidationAgentInputRulesItem_____ | DataValidationAgentInputRulesItem______ | DataValidationAgentInputRulesItem_______ | DataValidationAgentInputRulesItem________ | DataValidationAgentInputRulesItem_________ | DataValidationAgentInputRulesItem__________ | DataValidationAgentInputRulesItem___________ | DataValidationAgentInputRulesItem____________ | DataValidationAgentInputRulesItem_____________] | None]
    # A JSON Schema (draft 2020-12) of one record. Needs `records`, because cells of a text have no types.
    schema: NotRequired[dict[str, Any] | None]


class DataValidationAgentInputNotation(TypedDict):
    # Whether `01/02/2024` is in February (`day_first`) or in January (`month_first`). Default: as the cells
    # show; an error if they can mean both.
    dates: NotRequired[Literal["day_first", "month_first"] | None]
    # The decimal sign, `point` or `comma`. Default: as the cells show; an error if they can mean both.
    decimal: NotRequired[Literal["point", "comma"] | None]


class DataValidationAgentInputRulesItem(TypedDict):
    check: Literal["required"]
    # The columns.
    columns: NotRequired[list[str] | None]


class DataValidationAgentInputRulesItem_(TypedDict):
    check: Literal["unique"]
    # The columns.
    columns: NotRequired[list[str] | None]
    # Whether `A` and `a` are the same. Default: no.
    ignore_case: NotRequired[bool | None]


class DataValidationAgentInputRulesItem__(TypedDict):
    check: Literal["type"]
    # The columns.
    columns: list[str]
    # The type.
    type: Literal["number", "integer", "date", "time", "boolean"]


class DataValidationAgentInputRulesItem___(TypedDict):
    check: Literal["format"]
    # The columns.
    columns: list[str]
    # Code of the country of postcodes, such as `DE`.
    country: NotRequired[str | None]
    # The format.
    format: Literal["email", "phone", "url", "iban", "isbn", "ean", "card", "ip", "hex_color", "uuid", "postcode"]


class DataValidationAgentInputRulesItem____(TypedDict):
    check: Literal["dates"]
    # The columns.
    columns: list[str]
    # The pattern.
    pattern: str


class DataValidationAgentInputRulesItem_____(TypedDict):
    check: Literal["pattern"]
    # The columns.
    columns: list[str]
    # The regular expression.
    regex: str


class DataValidationAgentInputRulesItem______(TypedDict):
    check: Literal["length"]
    # The columns.
    columns: list[str]
    # The most characters.
    max: NotRequired[int | None]
    # The fewest characters.
    min: NotRequired[int | None]


class DataValidationAgentInputRulesItem_______(TypedDict):
    check: Literal["condition"]
    # The condition.
    that: DataValidationAgentInputRulesItem_______That
    # Conditions on the rows that it holds for.
    when: NotRequired[list[DataValidationAgentInputRulesItem_______WhenItem] | None]


DataValidationAgentInputRulesItem_______That = TypedDict("DataValidationAgentInputRulesItem_______That", {
    "column": "str",
    "is": "Literal[\"=\", \"!=\", \"<\", \"<=\", \">\", \">=\", \"between\", \"not_between\", \"one_of\", \"none_of\", \"contains\", \"not_contains\", \"starts_with\", \"ends_with\", \"empty\", \"not_empty\"]",
    "other": "NotRequired[str | None]",
    "value": "NotRequired[str | float | None]",
    "values": "NotRequired[list[str | float] | None]",
})


DataValidationAgentInputRulesItem_______WhenItem = TypedDict("DataValidationAgentInputRulesItem_______WhenItem", {
    "column": "str",
    "is": "Literal[\"=\", \"!=\", \"<\", \"<=\", \">\", \">=\", \"between\", \"not_between\", \"one_of\", \"none_of\", \"contains\", \"not_contains\", \"starts_with\", \"ends_with\", \"empty\", \"not_empty\"]",
    "other": "NotRequired[str | None]",
    "value": "NotRequired[str | float | None]",
    "values": "NotRequired[list[str | float] | None]",
})


class DataValidationAgentInputRulesItem________(TypedDict):
    check: Literal["formula"]
    # The column.
    column: str
    # The formula.
    equals: str
    # Allowed difference. Default: half of the last decimal of these columns.
    tolerance: NotRequired[float | None]


class DataValidationAgentInputRulesItem_________(TypedDict):
    check: Literal["ascending"]
    # The column.
    column: str
    # Whether they go down. Default: no.
    descending: NotRequired[bool]
    # Whether equal neighbours are wrong. Default: no.
    strict: NotRequired[bool]


DataValidationAgentInputRulesItem__________ = TypedDict("DataValidationAgentInputRulesItem__________", {
    "check": "Literal[\"consecutive\"]",
    "column": "str",
    "from": "NotRequired[int | None]",
    "to": "NotRequired[int | None]",
})


class DataValidationAgentInputRulesItem___________(TypedDict):
    check: Literal["total"]
    # The column.
    column: str
    # The sum.
    equals: float
    # Allowed difference. Default: 0.
    tolerance: NotRequired[float | None]


class DataValidationAgentInputRulesItem____________(TypedDict):
    check: Literal["date_part"]
    # The column.
    column: str
    # The column of dates.
    of: str
    # The part of the date.
    part: Literal["year", "quarter", "month", "weekday"]


class DataValidationAgentInputRulesItem_____________(TypedDict):
    # The column of dates of birth.
    born: str
    check: Literal["age"]
    # The column.
    column: str
    # The day of the age.
    on: str


class DataValidationAgentOutput(TypedDict):
    # Columns and their types.
    columns: list[DataValidationAgentOutputColumnsItem]
    # What the answer does not cover.
    limitations: list[str]
    # The problems, the gravest first, then by rule; at most 1,000.
    problems: list[DataValidationAgentOutputProblemsItem]
    # Number of rows.
    rows: int
    # The rules that were checked, in words; empty if the table was described as a whole.
    rules: list[str]
    # The result in words.
    summary: str
    # Whether there is no problem of severity medium or above and the schema holds.
    valid: bool


class DataValidationAgentOutputColumnsItem(TypedDict):
    # Different values.
    distinct: int
    # Cells without a value.
    missing: int
    # Its name.
    name: str
    # The type of its values.
    type: str


class DataValidationAgentOutputProblemsItem(TypedDict):
    # The column or columns, or `row` for a whole row; null if the problem names none.
    field: str | None
    # `missing`, `duplicate`, `type`, `format`, `range` or `inconsistent`; null for other remarks about a
    # column.
    kind: str | None
    # What is wrong.
    message: str
    # A row and column, a column, or the JSON pointer of a value.
    place: str
    # What to do.
    repair: str
    # The rows, from 1 without the header; empty if the column as a whole is meant.
    rows: list[int]
    # `high`, `medium` or `low`.
    severity: str


class GeneralAgentInput(TypedDict):
    # The typed input of that skill.
    input: NotRequired[dict[str, Any] | None]
    # The skill to use instead of a choice, such as `code:review`.
    skill: NotRequired[str | None]
    # The task in words. Default: the task of the call.
    task: NotRequired[str | None]


class GeneralAgentOutput(TypedDict):
    # Skills that come next, the likelier first.
    alternatives: list[str]
    # The whole answer.
    answer: dict[str, Any]
    # What the answer does not cover.
    limitations: list[str]
    # The skill that answered, or `arithmetic`, `check` or `model`.
    skill: str
    # The answer in words.
    summary: str
    # Why it was chosen.
    why: str


class PricingOptimizationAgentInput(TypedDict):
    # Exact arithmetic of margin, markup, discount, tax and break-even; `unit_cost` and `fixed_cost` are used.
    calculate: NotRequired[PricingOptimizationAgentInputCalculate | None]
    # A change of the price whose effect is wanted.
    change: NotRequired[PricingOptimizationAgentInputChange | None]
    # Today's price. Default: the last of 8 or more periods, otherwise unknown.
    current_price: NotRequired[float | None]
    # A straight demand line in place of a history.
    demand: NotRequired[PricingOptimizationAgentInputDemand | None]
    # Elasticity of demand in place of a history: percent that demand moves when the price rises by 1 %,
    # mostly negative.
    elasticity: NotRequired[float | None]
    # How the elasticity between two prices is computed: `midpoint` (default), or `simple`: shares of the
    # first one.
    elasticity_method: NotRequired[Literal["midpoint", "simple"] | None]
    # Cost of a period that does not depend on the units sold.
    fixed_cost: NotRequired[float | None]
    # Periods or variants with a price and the units sold, in order of time, 2 to 5,000. From 8 periods with 3
    # prices on, demand is estimated; fewer are compared as they are.
    history: NotRequired[list[PricingOptimizationAgentInputHistoryItem] | None]
    # Farthest from today's price, in percent of it.
    max_change_percent: NotRequired[float | None]
    # What to make large. Default: profit with a `unit_cost`, otherwise revenue.
    objective: NotRequired[Literal["profit", "revenue"] | None]
    # Highest price. Default: the highest of the history.
    price_max: NotRequired[float | None]
    # Least price. Default: the least of the history.
    price_min: NotRequired[float | None]
    # Cost of one more unit. Without it, revenue counts instead of profit.
    unit_cost: NotRequired[float | None]


class PricingOptimizationAgentInputCalculate(TypedDict):
    # Discount in percent of the price.
    discount_percent: NotRequired[float | None]
    # Price without tax after the discount, in place of `discount_percent`.
    discounted_price: NotRequired[float | None]
    # Selling price with tax, before a discount; needs `vat_percent`, or `price` to compute it.
    gross_price: NotRequired[float | None]
    # Profit in percent of the price without tax.
    margin_percent: NotRequired[float | None]
    # Profit in percent of the unit cost.
    markup_percent: NotRequired[float | None]
    # Selling price without tax, before a discount.
    price: NotRequired[float | None]
    # Units sold, for revenue and profit.
    quantity: NotRequired[float | None]
    # Profit of a period after `fixed_cost` that the units must bring.
    target_profit: NotRequired[float | None]
    # Value added or sales tax in percent of the price without it.
    vat_percent: NotRequired[float | None]


class PricingOptimizationAgentInputChange(TypedDict):
    # Contribution margin before, in percent of the price, in place of `unit_cost`.
    margin_percent: NotRequired[float | None]
    # Price after.
    new_price: NotRequired[float | None]
    # Units after.
    new_quantity: NotRequired[float | None]
    # Price before. Default: `current_price`.
    price: NotRequired[float | None]
    # Change of the price in percent, in place of `new_price`; negative for a cut.
    price_percent: NotRequired[float | None]
    # Units before.
    quantity: NotRequired[float | None]
    # Change of the units in percent, in place of `new_quantity`.
    quantity_percent: NotRequired[float | None]


class PricingOptimizationAgentInputDemand(TypedDict):
    # Units at a price of 0.
    at_zero: float
    # Units lost for each 1 of the price.
    slope: float


class PricingOptimizationAgentInputHistoryItem(TypedDict):
    # A name for the variant.
    name: NotRequired[str | None]
    # How many could have bought (visitors, trials), if that differs between the prices.
    offered: NotRequired[float | None]
    # Price of a unit, above 0.
    price: float
    # Units sold.
    quantity: float


class PricingOptimizationAgentOutput(TypedDict):
    # What the answer rests on.
    based_on: PricingOptimizationAgentOutputBasedOn
    # The price that brought most for each period in the data; null without data.
    best_in_data: PricingOptimizationAgentOutputBestInData | None
    # Bounds that hold the price back.
    bound_by: list[str]
    # Today's price, if it is known.
    current_price: float | None
    # `change` to `price`, `keep` today's, `test` (better by the estimate, not settled), `none` (demand does
    # not fall with the price), or `unclear`: there is no basis for a decision.
    decision: str
    # Percent that demand moves when the price rises by one; null if it cannot be computed.
    elasticity: PricingOptimizationAgentOutputElasticity | None
    # Computed figures by name: break-even units, margin, prices with and without tax.
    figures: list[PricingOptimizationAgentOutputFiguresItem]
    # What the answer does not cover.
    limitations: list[str]
    # The proposed or computed price; null if there is none.
    price: float | None
    # What to expect at several prices.
    scenarios: list[PricingOptimizationAgentOutputScenariosItem]
    # The answer in words.
    summary: str


class PricingOptimizationAgentOutputBasedOn(TypedDict):
    # Different prices among them.
    different_prices: int
    # How the answer was computed: `regression`, `midpoint`, `simple` (shares of the first), `given` or
    # `arithmetic`.
    method: str
    # Highest price allowed, if it is known.
    price_max: float | None
    # Least price allowed, if it is known.
    price_min: float | None
    # Periods or variants with a price and a quantity.
    sales: int
    # Cost of a unit, if it is known.
    unit_cost: float | None


class PricingOptimizationAgentOutputBestInData(TypedDict):
    # `revenue` or `profit`.
    goal: str
    # Its name, if it has one.
    name: str | None
    # The price.
    price: float
    # What it brought for each period, or for each who could have bought.
    value: float


class PricingOptimizationAgentOutputElasticity(TypedDict):
    # The likeliest value.
    estimate: float
    # High end.
    high: float | None
    # Low end; null if there are too few periods.
    low: float | None


class PricingOptimizationAgentOutputFiguresItem(TypedDict):
    # Its name.
    name: str
    # Its value.
    value: float


class PricingOptimizationAgentOutputScenariosItem(TypedDict):
    # Whether no sale had such a price.
    extrapolated: bool
    # `best`, `current`, or empty.
    mark: str
    # The price.
    price: float
    # Revenue less the cost of the units; null if no cost is known.
    profit: float | None
    # Units in a period.
    quantity: PricingOptimizationAgentOutputScenariosItemQuantity
    # Price times units.
    revenue: float


class PricingOptimizationAgentOutputScenariosItemQuantity(TypedDict):
    # The likeliest value.
    estimate: float
    # High end.
    high: float
    # Low end.
    low: float


class PromptedAgentOutput(TypedDict):
    # What the provider took, in thousandths of a penny; paid out of the price of this call.
    cost_millipence: int
    # What to bear in mind.
    limitations: list[str]
    # The model that answered.
    model: str
    # Who runs it.
    provider: str
    # The answer.
    text: str
    # The answer was cut off.
    truncated: bool


class ResearchCitationAgentInput(TypedDict):
    # The claims one by one instead, at most 100.
    claims: NotRequired[list[str] | None]
    # Identifiers to check, at most 100.
    identifiers: NotRequired[list[ResearchCitationAgentInputIdentifiersItem] | None]
    # Whether only the words of the claims are looked for: a claim is then supported if a source has them
    # verbatim, and unsupported otherwise. Default: false.
    literal: NotRequired[bool | None]
    # References as running text or BibTeX entries, to check and to format, at most 100.
    references: NotRequired[list[str] | None]
    # The sources of the claims, at most 50.
    sources: NotRequired[list[ResearchCitationAgentInputSourcesItem] | None]
    # The form of the references. Default: apa.
    style: NotRequired[Literal["apa", "vancouver", "bibtex", "mla", "chicago", "harvard", "ieee"] | None]
    # The text whose sentences are the claims, at most 100 sentences.
    text: NotRequired[str | None]
    # Works by their parts, to format, at most 100.
    works: NotRequired[list[ResearchCitationAgentInputWorksItem] | None]


class ResearchCitationAgentInputIdentifiersItem(TypedDict):
    # Its kind. Default: as its form shows.
    kind: NotRequired[Literal["isbn", "issn", "doi", "orcid", "arxiv", "pmid"] | None]
    # The identifier.
    value: str


class ResearchCitationAgentInputSourcesItem(TypedDict):
    # Its name.
    id: str
    # Its text.
    text: str


class ResearchCitationAgentInputWorksItem(TypedDict):
    # The day on which a page was read, as YYYY-MM-DD.
    accessed: NotRequired[str]
    # Its authors, at most 100: `Family, Given`; a name without a comma is an organisation.
    authors: NotRequired[list[str]]
    # The journal, book, proceedings or site that it is in.
    container: NotRequired[str]
    # The day of publication, as YYYY-MM-DD, for a page on the web.
    date: NotRequired[str]
    # The DOI, without an address before it.
    doi: NotRequired[str]
    # The edition, as a number.
    edition: NotRequired[str]
    # The editors of the book that it is in, in the same form.
    editors: NotRequired[list[str]]
    # The ISBN.
    isbn: NotRequired[str]
    # The number within the volume.
    issue: NotRequired[str]
    # Its kind. Default: book.
    kind: NotRequired[Literal["article", "book", "chapter", "paper", "page", "thesis"]]
    # The pages: `5-18`.
    pages: NotRequired[str]
    # The place of the publisher.
    place: NotRequired[str]
    # The publisher, or the school of a thesis.
    publisher: NotRequired[str]
    # Its title.
    title: NotRequired[str]
    # The web address.
    url: NotRequired[str]
    # The volume.
    volume: NotRequired[str]
    # The year.
    year: NotRequired[str]


class ResearchCitationAgentOutput(TypedDict):
    # Each claim, in order.
    claims: list[ResearchCitationAgentOutputClaimsItem]
    # What the answer does not cover.
    limitations: list[str]
    # Each reference, work and identifier, in order.
    references: list[ResearchCitationAgentOutputReferencesItem]
    # The result in words.
    summary: str


class ResearchCitationAgentOutputClaimsItem(TypedDict):
    # As written.
    claim: str
    # What the sources state.
    finding: Literal["supported", "contradicted", "unsupported"]
    # Share of its words in the quote, 0 to 1.
    overlap: float
    # The sentence that shows it; null for `unsupported`.
    quote: ResearchCitationAgentOutputClaimsItemQuote | None
    # The reason for this finding.
    reason: str


class ResearchCitationAgentOutputClaimsItemQuote(TypedDict):
    # Id of the source.
    source: str
    # Place of its first character in the source, from 0, in characters.
    start: int
    # Word for word.
    text: str


class ResearchCitationAgentOutputReferencesItem(TypedDict):
    # In the requested form; null if its parts are not clear.
    formatted: str | None
    # What is wrong.
    issues: list[str]
    # Whether nothing in it is wrong.
    ok: bool
    # Its beginning.
    text: str


SalesLeadScoringAgentInput = TypedDict("SalesLeadScoringAgentInput", {
    "base": "NotRequired[float | None]",
    "duplicates": "NotRequired[bool | None]",
    "except": "NotRequired[list[SalesLeadScoringAgentInputExceptItem] | None]",
    "grades": "NotRequired[list[SalesLeadScoringAgentInputGradesItem] | None]",
    "leads": "NotRequired[list[SalesLeadScoringAgentInputLeadsItem] | None]",
    "multiply": "NotRequired[list[str] | None]",
    "only": "NotRequired[list[SalesLeadScoringAgentInputOnlyItem] | None]",
    "order_by": "NotRequired[list[SalesLeadScoringAgentInputOrderByItem] | None]",
    "profile": "NotRequired[SalesLeadScoringAgentInputProfile | None]",
    "rules": "NotRequired[list[SalesLeadScoringAgentInputRulesItem] | None]",
    "same": "NotRequired[list[str] | None]",
    "top": "NotRequired[int | None]",
})


SalesLeadScoringAgentInputExceptItem = TypedDict("SalesLeadScoringAgentInputExceptItem", {
    "above": "NotRequired[float | None]",
    "at_least": "NotRequired[float | None]",
    "at_most": "NotRequired[float | None]",
    "below": "NotRequired[float | None]",
    "contains": "NotRequired[list[str]]",
    "field": "str",
    "is": "NotRequired[list[str]]",
    "known": "NotRequired[bool | None]",
    "not": "NotRequired[bool]",
})


class SalesLeadScoringAgentInputGradesItem(TypedDict):
    # The least score.
    at_least: float
    # Its name: `A`, `hot`.
    name: str


class SalesLeadScoringAgentInputLeadsItem(TypedDict):
    # The company.
    company: NotRequired[str | None]
    # Its country.
    country: NotRequired[str | None]
    # E-mail address.
    email: NotRequired[str | None]
    # Number of its employees.
    employees: NotRequired[int | None]
    # Anything else, by name, as text, number or true and false: budget, demo, last contact.
    fields: NotRequired[dict[str, Any]]
    # Its industry.
    industry: NotRequired[str | None]
    # The person.
    name: NotRequired[str | None]
    # Phone number.
    phone: NotRequired[str | None]
    # Job title.
    title: NotRequired[str | None]
    # Its web address or domain.
    website: NotRequired[str | None]


SalesLeadScoringAgentInputOnlyItem = TypedDict("SalesLeadScoringAgentInputOnlyItem", {
    "above": "NotRequired[float | None]",
    "at_least": "NotRequired[float | None]",
    "at_most": "NotRequired[float | None]",
    "below": "NotRequired[float | None]",
    "contains": "NotRequired[list[str]]",
    "field": "str",
    "is": "NotRequired[list[str]]",
    "known": "NotRequired[bool | None]",
    "not": "NotRequired[bool]",
})


class SalesLeadScoringAgentInputOrderByItem(TypedDict):
    # Whether the lowest number comes first. Default: the highest.
    ascending: NotRequired[bool]
    # The field; its values are numbers, unless `values` is given.
    field: str
    # The values in order, the best first, for a field of texts.
    values: NotRequired[list[str]]


class SalesLeadScoringAgentInputProfile(TypedDict):
    # Countries, as leads name them.
    countries: NotRequired[list[str]]
    # Most employees.
    employees_max: NotRequired[int | None]
    # Least employees.
    employees_min: NotRequired[int | None]
    # Industries, as leads name them.
    industries: NotRequired[list[str]]
    # Job titles.
    titles: NotRequired[list[str]]


class SalesLeadScoringAgentInputRulesItem(TypedDict):
    # A field whose number the points are multiplied by: `visits` for points per visit.
    per: NotRequired[str | None]
    # Points, negative to take some off.
    points: float
    # Conditions that must all be met; none for every lead.
    when: NotRequired[list[SalesLeadScoringAgentInputRulesItemWhenItem]]


SalesLeadScoringAgentInputRulesItemWhenItem = TypedDict("SalesLeadScoringAgentInputRulesItemWhenItem", {
    "above": "NotRequired[float | None]",
    "at_least": "NotRequired[float | None]",
    "at_most": "NotRequired[float | None]",
    "below": "NotRequired[float | None]",
    "contains": "NotRequired[list[str]]",
    "field": "str",
    "is": "NotRequired[list[str]]",
    "known": "NotRequired[bool | None]",
    "not": "NotRequired[bool]",
})


class SalesLeadScoringAgentOutput(TypedDict):
    # What the scores rest on: `own rules`, `columns` (an order or a product), or `members` (compared with the
    # profile).
    based_on: str
    # Leads that are the same, by their positions in the input, from 0; the first of each is ranked.
    doubles: list[list[int]]
    # What the answer does not cover.
    limitations: list[str]
    # The leads, the best first.
    ranking: list[SalesLeadScoringAgentOutputRankingItem]
    # The answer in words.
    summary: str


class SalesLeadScoringAgentOutputRankingItem(TypedDict):
    # Where the points come from.
    contributions: list[SalesLeadScoringAgentOutputRankingItemContributionsItem]
    # What the e-mail address is worth: accept, risky and so on; null unless it was checked.
    email: str | None
    # An address that may be meant instead.
    email_suggestion: str | None
    # The grade; null if none are defined.
    grade: str | None
    # Its position in the input, from 0.
    index: int
    # Share of the scored values that are known, 0 to 1.
    known: float
    # Name, company or e-mail address.
    lead: str
    # What was merged with it, itself first; empty without doubles.
    merged: list[str]
    # From 1; leads with equal scores have the same rank.
    rank: int
    # The sum of points; 0 to 100 with a profile; the number of leads behind it if only an order is given.
    score: float


class SalesLeadScoringAgentOutputRankingItemContributionsItem(TypedDict):
    # Most that it could bring.
    most: float
    # Which part.
    part: str
    # Points that it brings.
    points: float
    # Why.
    reason: str


class SentimentAgentInput(TypedDict):
    # Aspects to judge, each by the sentences that name it and no other aspect; at most 20.
    aspects: NotRequired[list[str] | None]
    # Whether words of financial news are rated too. Default: false.
    finance: NotRequired[bool]
    # The labels to choose from. Default: all four.
    labels: NotRequired[list[Literal["positive", "negative", "neutral", "mixed"]] | None]
    # The text, English. Default: the task, if `aspects` are given.
    text: NotRequired[str | None]
    # Several texts instead of `text`, at most 200.
    texts: NotRequired[list[str] | None]


class SentimentAgentOutput(TypedDict):
    # The aspects that were named and that a sentence mentions.
    aspects: list[SentimentAgentOutputAspectsItem]
    # The texts, in order.
    items: list[SentimentAgentOutputItemsItem]
    # positive, negative, neutral or mixed, of all texts together; null if a text has no label.
    label: Literal["positive", "negative", "neutral", "mixed"] | None
    # What the answer does not cover.
    limitations: list[str]
    # Mean of the sentences' scores, -1 to 1.
    score: float
    # The sentences.
    sentences: list[SentimentAgentOutputSentencesItem]
    # The result in words.
    summary: str


class SentimentAgentOutputAspectsItem(TypedDict):
    # positive, negative, neutral or mixed; null if the readers do not agree on a sentence of its own.
    label: Literal["positive", "negative", "neutral", "mixed"] | None
    # Its name.
    name: str
    # Mean score of its own sentences, -1 to 1.
    score: float
    # Positions in `sentences` of those that name it, from 0.
    sentences: list[int]


class SentimentAgentOutputItemsItem(TypedDict):
    # The rated words, with what they add.
    based_on: list[SentimentAgentOutputItemsItemBasedOnItem]
    # positive, negative, neutral or mixed; null if the readers do not agree.
    label: Literal["positive", "negative", "neutral", "mixed"] | None
    # Mean of its sentences' scores, -1 to 1.
    score: float
    # Its beginning, at most 120 characters.
    text: str


class SentimentAgentOutputItemsItemBasedOnItem(TypedDict):
    # What it adds, after negation and words of degree.
    value: float
    # As written.
    word: str


class SentimentAgentOutputSentencesItem(TypedDict):
    # positive, negative or neutral; null if the readers do not agree.
    label: Literal["positive", "negative", "neutral", "mixed"] | None
    # The score of its words, -1 to 1.
    score: float
    # Position of its first character in its text, from 0, in characters.
    start: int
    # As written.
    text: str
    # The rated words.
    words: list[SentimentAgentOutputSentencesItemWordsItem]


class SentimentAgentOutputSentencesItemWordsItem(TypedDict):
    # What it adds, after negation and words of degree.
    value: float
    # As written.
    word: str


class SummarizationAgentInput(TypedDict):
    # Only sentences that have a word of this topic.
    about: NotRequired[str | None]
    # Exactly this number of sentences, each as a bullet.
    bullets: NotRequired[int | None]
    # Only sentences that have one of these words or phrases, in any case.
    containing: NotRequired[list[str] | None]
    # Several documents instead, at most 50 and 500,000 bytes in all.
    documents: NotRequired[list[SummarizationAgentInputDocumentsItem] | None]
    # The form of `summary`: `text`, `bullets` or `json`. Default: text, or bullets with `bullets`.
    format: NotRequired[Literal["text", "bullets", "json"] | None]
    # Language of the summary, ISO 639-1; only with `own_words`. Default: that of the text.
    language: NotRequired[str | None]
    # Most sentences. Default: 3, or as many as `max_words` allows.
    max_sentences: NotRequired[int | None]
    # Most words.
    max_words: NotRequired[int | None]
    # Other words than those of the text. Needs a model.
    own_words: NotRequired[bool | None]
    # Most sentences from each of `documents`, in place of a choice among all of them.
    per_document: NotRequired[int | None]
    # One text. The task's own text unless given.
    text: NotRequired[str | None]
    # Only sentences that have a number in digits.
    with_numbers: NotRequired[bool | None]


class SummarizationAgentInputDocumentsItem(TypedDict):
    # Its text.
    text: str
    # Its name. Default: `document 1` and so on.
    title: NotRequired[str | None]


class SummarizationAgentOutput(TypedDict):
    # Language of the documents, ISO 639-1, if it is clear; of a model's summary, if one was requested.
    language: str | None
    # What the answer does not cover.
    limitations: list[str]
    # What was done, in words.
    note: str
    # Each of its sentences, and its place; empty if a model wrote the summary.
    sentences: list[SummarizationAgentOutputSentencesItem]
    # The summary: sentences of the documents, in their order.
    summary: str


class SummarizationAgentOutputSentencesItem(TypedDict):
    # Title of the document.
    document: str
    # Place of its first character in the document, from 0, in characters.
    start: int
    # The sentence as it is in the document.
    text: str


class TranslationAgentInput(TypedDict):
    # Terms and what they must be in the translation, at most 200.
    glossary: NotRequired[list[TranslationAgentInputGlossaryItem] | None]
    # Names and terms that must stay as they are, at most 200.
    keep: NotRequired[list[str] | None]
    # Language of the text, a code. Default: detected.
    source: NotRequired[str | None]
    # Language of the translation: a code (`de`, `pt-BR`). Default: `en`.
    target: NotRequired[str | None]
    # Several languages instead of `target`, at most 5.
    targets: NotRequired[list[str] | None]
    # The text, at most 32 KiB. The task's own text unless given.
    text: NotRequired[str | None]
    # An existing translation of `text`, whose numbers, placeholders, addresses, `keep` and `glossary` are
    # compared with it. No model is asked.
    translation: NotRequired[str | None]


class TranslationAgentInputGlossaryItem(TypedDict):
    # The term in the text.
    term: str
    # Its required translation.
    translation: str


class TranslationAgentOutput(TypedDict):
    # Comparisons of the two texts.
    checks: list[TranslationAgentOutputChecksItem]
    # The translation into each language; of a comparison, each difference.
    items: list[TranslationAgentOutputItemsItem]
    # What the answer does not cover.
    limitations: list[str]
    # The model that wrote the translation; null if none was asked.
    model: str | None
    # Whether every check passed; a translation that failed one is not given.
    passed: bool
    # Language of the text given, ISO 639-1, if it is clear.
    source: str | None
    # The result in words.
    summary: str
    # Language of the translation; several are separated by commas.
    target: str
    # The translated text; empty if two texts were compared.
    translation: str


class TranslationAgentOutputChecksItem(TypedDict):
    # What only the translation has.
    added: list[str]
    # What the translation lacks.
    missing: list[str]
    # What was compared.
    name: str
    # Whether nothing is missing and nothing was added.
    passed: bool


TranslationAgentOutputItemsItem = TypedDict("TranslationAgentOutputItemsItem", {
    "from": "str",
    "target": "str",
    "text": "str",
    "translation": "str",
})


class VideoEvaluationAgentInput(TypedDict):
    # Two captions, from 1, whose gap `summary` states.
    between: NotRequired[list[int] | None]
    # Captions: SubRip or WebVTT.
    captions: NotRequired[str | None]
    # The checks to make; none for an empty list. Default: all.
    checks: NotRequired[list[Literal["overlap", "numbering", "empty", "repeated", "reading_speed", "words_per_minute", "line_length", "lines", "duration", "gap", "order", "end", "words", "format"]] | None]
    # Figures that `summary` states. `captions` in the answer has all of them.
    figures: NotRequired[list[Literal["first_caption_starts", "last_caption_ends", "average_duration", "longest_duration", "shortest_duration", "uncovered_seconds", "longest_gap", "shortest_gap", "gaps_in_all", "words", "characters", "characters_per_second", "most_characters_per_second", "words_per_minute", "longest_line", "captions", "shown_seconds", "covered_percent"]] | None]
    # Words or phrases to count, with their captions.
    find_words: NotRequired[list[str] | None]
    # Limits in place of the defaults.
    limits: NotRequired[VideoEvaluationAgentInputLimits | None]
    # The file, or its beginning, in base64: MP4, MOV, M4A, WAV or MP3.
    media: NotRequired[str | None]
    # Duration in seconds, if `media` does not tell.
    media_seconds: NotRequired[float | None]
    # Two of words, seconds and pace of a speech; the third is computed.
    speech: NotRequired[VideoEvaluationAgentInputSpeech | None]
    # The spoken words, as plain text. Default: the text of the captions.
    transcript: NotRequired[str | None]


class VideoEvaluationAgentInputLimits(TypedDict):
    # Words and phrases that no caption may have, in any case. Default: none.
    forbidden_words: NotRequired[list[str] | None]
    # Most characters per second, spaces and punctuation included. Default: 17.
    max_characters_per_second: NotRequired[float | None]
    # Longest time without captions between two of them, in seconds. Default: none.
    max_gap_seconds: NotRequired[float | None]
    # Most characters of a line. Default: 42.
    max_line_characters: NotRequired[int | None]
    # Most lines of a caption. Default: 2.
    max_lines: NotRequired[int | None]
    # Longest time on screen, in seconds. Default: 7.
    max_seconds: NotRequired[float | None]
    # Most words per minute of a caption. Default: 200.
    max_words_per_minute: NotRequired[float | None]
    # Shortest gap between captions that do not touch, in seconds. Default: none.
    min_gap_seconds: NotRequired[float | None]
    # Shortest time on screen, in seconds. Default: 0.833.
    min_seconds: NotRequired[float | None]
    # Fewest words per minute of all captions together, while they are shown. Default: none.
    min_words_per_minute: NotRequired[float | None]


class VideoEvaluationAgentInputSpeech(TypedDict):
    # Length in seconds.
    seconds: NotRequired[float | None]
    # Number of words.
    words: NotRequired[float | None]
    # Words per minute.
    words_per_minute: NotRequired[float | None]


class VideoEvaluationAgentOutput(TypedDict):
    # Captions in figures; null without captions.
    captions: dict[str, Any] | None
    # How often each kind of finding occurs.
    counts: dict[str, int]
    # What breaks a limit, the gravest first, and words that were found; at most 100.
    findings: list[VideoEvaluationAgentOutputFindingsItem]
    # What the answer does not cover.
    limitations: list[str]
    # Technical data of the headers; null without media.
    media: dict[str, Any] | None
    # 100 less what the findings take off, at least 0; at most 69 if a caption breaks a limit; null if nothing
    # was checked.
    score: int | None
    # The result in words.
    summary: str
    # The spoken words; null unless everything was evaluated.
    transcript: VideoEvaluationAgentOutputTranscript | None
    # `good` for a score of 70 or more, else `poor`; null if nothing was checked.
    verdict: str | None


class VideoEvaluationAgentOutputFindingsItem(TypedDict):
    # The caption, from 1, in the order of the file.
    cue: NotRequired[int | None]
    # What kind.
    kind: str
    # The line of the captions, from 1.
    line: NotRequired[int | None]
    # What is wrong.
    message: str
    # The words that it is about.
    quote: NotRequired[str | None]
    # high, medium, low, or info, which takes nothing off.
    severity: str


class VideoEvaluationAgentOutputTranscript(TypedDict):
    # Sentiment, -1 to 1.
    sentiment: float
    # Its main sentences.
    summary: str
    # Number of words.
    words: int


class Calls:
    """Calls with the types of the bridges and agents that are known here."""

    @overload
    def call(self, bridge: Literal["agent_card_verify"], /, **given: Unpack[AgentCardVerifyInput]) -> Answer[AgentCardVerifyResult]: ...
    @overload
    def call(self, bridge: Literal["anomaly_detection"], /, **given: Unpack[AnomalyDetectionInput]) -> Answer[AnomalyDetectionResult]: ...
    @overload
    def call(self, bridge: Literal["citation_check"], /, **given: Unpack[CitationCheckInput]) -> Answer[CitationCheckResult]: ...
    @overload
    def call(self, bridge: Literal["classification"], /, **given: Unpack[ClassificationInput]) -> Answer[ClassificationResult]: ...
    @overload
    def call(self, bridge: Literal["code_generation"], /, **given: Unpack[CodeGenerationInput]) -> Answer[CodeGenerationResult]: ...
    @overload
    def call(self, bridge: Literal["code_metrics"], /, **given: Unpack[CodeMetricsInput]) -> Answer[CodeMetricsResult]: ...
    @overload
    def call(self, bridge: Literal["data_profile"], /, **given: Unpack[DataProfileInput]) -> Answer[DataProfileResult]: ...
    @overload
    def call(self, bridge: Literal["email_verification"], /, **given: Unpack[EmailVerificationInput]) -> Answer[EmailVerificationResult]: ...
    @overload
    def call(self, bridge: Literal["entity_match"], /, **given: Unpack[EntityMatchInput]) -> Answer[EntityMatchResult]: ...
    @overload
    def call(self, bridge: Literal["forecast"], /, **given: Unpack[ForecastInput]) -> Answer[ForecastResult]: ...
    @overload
    def call(self, bridge: Literal["fraud_signal"], /, **given: Unpack[FraudSignalInput]) -> Answer[FraudSignalResult]: ...
    @overload
    def call(self, bridge: Literal["html_extraction"], /, **given: Unpack[HtmlExtractionInput]) -> Answer[HtmlExtractionResult]: ...
    @overload
    def call(self, bridge: Literal["iban_validation"], /, **given: Unpack[IbanValidationInput]) -> Answer[IbanValidationResult]: ...
    @overload
    def call(self, bridge: Literal["keyword_extraction"], /, **given: Unpack[KeywordExtractionInput]) -> Answer[KeywordExtractionResult]: ...
    @overload
    def call(self, bridge: Literal["language_detection"], /, **given: Unpack[LanguageDetectionInput]) -> Answer[LanguageDetectionResult]: ...
    @overload
    def call(self, bridge: Literal["lead_score"], /, **given: Unpack[LeadScoreInput]) -> Answer[LeadScoreResult]: ...
    @overload
    def call(self, bridge: Literal["media_probe"], /, **given: Unpack[MediaProbeInput]) -> Answer[MediaProbeResult]: ...
    @overload
    def call(self, bridge: Literal["model_inference"], /, **given: Unpack[ModelInferenceInput]) -> Answer[ModelInferenceResult]: ...
    @overload
    def call(self, bridge: Literal["model_price"], /, **given: Unpack[ModelPriceInput]) -> Answer[ModelPriceResult]: ...
    @overload
    def call(self, bridge: Literal["pii_redaction"], /, **given: Unpack[PiiRedactionInput]) -> Answer[PiiRedactionResult]: ...
    @overload
    def call(self, bridge: Literal["price_optimization"], /, **given: Unpack[PriceOptimizationInput]) -> Answer[PriceOptimizationResult]: ...
    @overload
    def call(self, bridge: Literal["prompt_template"], /, **given: Unpack[PromptTemplateInput]) -> Answer[PromptTemplateResult]: ...
    @overload
    def call(self, bridge: Literal["proof_of_work"], /, **given: Unpack[ProofOfWorkInput]) -> Answer[ProofOfWorkResult]: ...
    @overload
    def call(self, bridge: Literal["sanctions_screen"], /, **given: Unpack[SanctionsScreenInput]) -> Answer[SanctionsScreenResult]: ...
    @overload
    def call(self, bridge: Literal["security_scan"], /, **given: Unpack[SecurityScanInput]) -> Answer[SecurityScanResult]: ...
    @overload
    def call(self, bridge: Literal["semantic_cache"], /, **given: Unpack[SemanticCacheInput]) -> Answer[SemanticCacheResult]: ...
    @overload
    def call(self, bridge: Literal["sentiment_feed"], /, **given: Unpack[SentimentFeedInput]) -> Answer[SentimentFeedResult]: ...
    @overload
    def call(self, bridge: Literal["summarization"], /, **given: Unpack[SummarizationInput]) -> Answer[SummarizationResult]: ...
    @overload
    def call(self, bridge: Literal["tax_jar_lookup"], /, **given: Unpack[TaxJarLookupInput]) -> Answer[TaxJarLookupResult]: ...
    @overload
    def call(self, bridge: Literal["token_count"], /, **given: Unpack[TokenCountInput]) -> Answer[TokenCountResult]: ...
    @overload
    def call(self, bridge: Literal["translation"], /, **given: Unpack[TranslationInput]) -> Answer[TranslationResult]: ...
    @overload
    def call(self, bridge: Literal["validation"], /, **given: Unpack[ValidationInput]) -> Answer[ValidationResult]: ...
    @overload
    def call(self, bridge: Literal["vat_number_check"], /, **given: Unpack[VatNumberCheckInput]) -> Answer[VatNumberCheckResult]: ...
    def call(self, bridge: str, /, **given: Any) -> Answer[Any]:
        """Calls a bridge and pays for it; `call_any` takes those that are not known here."""
        return self.call_any(bridge, given)

    @overload
    def agent(self, agent: Literal["analytics-anomaly-detection", "analytics:anomaly-detection"], task: str | None = None, input: AnalyticsAnomalyDetectionAgentInput | None = None) -> Answer[AnalyticsAnomalyDetectionAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["analytics-forecast", "analytics:forecast"], task: str | None = None, input: AnalyticsForecastAgentInput | None = None) -> Answer[AnalyticsForecastAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["classification"], task: str | None = None, input: ClassificationAgentInput | None = None) -> Answer[ClassificationAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["code-review", "code:review"], task: str | None = None, input: CodeReviewAgentInput | None = None) -> Answer[CodeReviewAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["coding"], task: str | None = None, input: CodingAgentInput | None = None) -> Answer[CodingAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["compliance-audit", "compliance:audit"], task: str | None = None, input: ComplianceAuditAgentInput | None = None) -> Answer[ComplianceAuditAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["data-aggregation", "data:aggregation"], task: str | None = None, input: DataAggregationAgentInput | None = None) -> Answer[DataAggregationAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["data-extraction", "data:extraction"], task: str | None = None, input: DataExtractionAgentInput | None = None) -> Answer[DataExtractionAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["data-validation", "data:validation"], task: str | None = None, input: DataValidationAgentInput | None = None) -> Answer[DataValidationAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["general"], task: str | None = None, input: GeneralAgentInput | None = None) -> Answer[GeneralAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["pricing-optimization", "pricing:optimization"], task: str | None = None, input: PricingOptimizationAgentInput | None = None) -> Answer[PricingOptimizationAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["prompted"], task: str | None = None, input: dict[str, Any] | None = None) -> Answer[PromptedAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["research-citation", "research:citation"], task: str | None = None, input: ResearchCitationAgentInput | None = None) -> Answer[ResearchCitationAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["sales-lead-scoring", "sales:lead-scoring"], task: str | None = None, input: SalesLeadScoringAgentInput | None = None) -> Answer[SalesLeadScoringAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["sentiment"], task: str | None = None, input: SentimentAgentInput | None = None) -> Answer[SentimentAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["summarization"], task: str | None = None, input: SummarizationAgentInput | None = None) -> Answer[SummarizationAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["translation"], task: str | None = None, input: TranslationAgentInput | None = None) -> Answer[TranslationAgentOutput]: ...
    @overload
    def agent(self, agent: Literal["video-evaluation", "video:evaluation"], task: str | None = None, input: VideoEvaluationAgentInput | None = None) -> Answer[VideoEvaluationAgentOutput]: ...
    def agent(self, agent: str, task: str | None = None, input: Any = None) -> Answer[Any]:
        """Gives an agent a task in words, an input, or both, and pays for it."""
        return self.agent_any(agent, task, input)

    def call_any(self, bridge: str, given: Mapping[str, Any]) -> Answer[Any]:
        """Calls a bridge that has no types here."""
        raise NotImplementedError

    def agent_any(self, agent: str, task: str | None, given: Mapping[str, Any] | None) -> Answer[Any]:
        """Gives a task to an agent that has no types here."""
        raise NotImplementedError


class AsyncCalls:
    """Calls with the types of the bridges and agents that are known here."""

    @overload
    async def call(self, bridge: Literal["agent_card_verify"], /, **given: Unpack[AgentCardVerifyInput]) -> Answer[AgentCardVerifyResult]: ...
    @overload
    async def call(self, bridge: Literal["anomaly_detection"], /, **given: Unpack[AnomalyDetectionInput]) -> Answer[AnomalyDetectionResult]: ...
    @overload
    async def call(self, bridge: Literal["citation_check"], /, **given: Unpack[CitationCheckInput]) -> Answer[CitationCheckResult]: ...
    @overload
    async def call(self, bridge: Literal["classification"], /, **given: Unpack[ClassificationInput]) -> Answer[ClassificationResult]: ...
    @overload
    async def call(self, bridge: Literal["code_generation"], /, **given: Unpack[CodeGenerationInput]) -> Answer[CodeGenerationResult]: ...
    @overload
    async def call(self, bridge: Literal["code_metrics"], /, **given: Unpack[CodeMetricsInput]) -> Answer[CodeMetricsResult]: ...
    @overload
    async def call(self, bridge: Literal["data_profile"], /, **given: Unpack[DataProfileInput]) -> Answer[DataProfileResult]: ...
    @overload
    async def call(self, bridge: Literal["email_verification"], /, **given: Unpack[EmailVerificationInput]) -> Answer[EmailVerificationResult]: ...
    @overload
    async def call(self, bridge: Literal["entity_match"], /, **given: Unpack[EntityMatchInput]) -> Answer[EntityMatchResult]: ...
    @overload
    async def call(self, bridge: Literal["forecast"], /, **given: Unpack[ForecastInput]) -> Answer[ForecastResult]: ...
    @overload
    async def call(self, bridge: Literal["fraud_signal"], /, **given: Unpack[FraudSignalInput]) -> Answer[FraudSignalResult]: ...
    @overload
    async def call(self, bridge: Literal["html_extraction"], /, **given: Unpack[HtmlExtractionInput]) -> Answer[HtmlExtractionResult]: ...
    @overload
    async def call(self, bridge: Literal["iban_validation"], /, **given: Unpack[IbanValidationInput]) -> Answer[IbanValidationResult]: ...
    @overload
    async def call(self, bridge: Literal["keyword_extraction"], /, **given: Unpack[KeywordExtractionInput]) -> Answer[KeywordExtractionResult]: ...
    @overload
    async def call(self, bridge: Literal["language_detection"], /, **given: Unpack[LanguageDetectionInput]) -> Answer[LanguageDetectionResult]: ...
    @overload
    async def call(self, bridge: Literal["lead_score"], /, **given: Unpack[LeadScoreInput]) -> Answer[LeadScoreResult]: ...
    @overload
    async def call(self, bridge: Literal["media_probe"], /, **given: Unpack[MediaProbeInput]) -> Answer[MediaProbeResult]: ...
    @overload
    async def call(self, bridge: Literal["model_inference"], /, **given: Unpack[ModelInferenceInput]) -> Answer[ModelInferenceResult]: ...
    @overload
    async def call(self, bridge: Literal["model_price"], /, **given: Unpack[ModelPriceInput]) -> Answer[ModelPriceResult]: ...
    @overload
    async def call(self, bridge: Literal["pii_redaction"], /, **given: Unpack[PiiRedactionInput]) -> Answer[PiiRedactionResult]: ...
    @overload
    async def call(self, bridge: Literal["price_optimization"], /, **given: Unpack[PriceOptimizationInput]) -> Answer[PriceOptimizationResult]: ...
    @overload
    async def call(self, bridge: Literal["prompt_template"], /, **given: Unpack[PromptTemplateInput]) -> Answer[PromptTemplateResult]: ...
    @overload
    async def call(self, bridge: Literal["proof_of_work"], /, **given: Unpack[ProofOfWorkInput]) -> Answer[ProofOfWorkResult]: ...
    @overload
    async def call(self, bridge: Literal["sanctions_screen"], /, **given: Unpack[SanctionsScreenInput]) -> Answer[SanctionsScreenResult]: ...
    @overload
    async def call(self, bridge: Literal["security_scan"], /, **given: Unpack[SecurityScanInput]) -> Answer[SecurityScanResult]: ...
    @overload
    async def call(self, bridge: Literal["semantic_cache"], /, **given: Unpack[SemanticCacheInput]) -> Answer[SemanticCacheResult]: ...
    @overload
    async def call(self, bridge: Literal["sentiment_feed"], /, **given: Unpack[SentimentFeedInput]) -> Answer[SentimentFeedResult]: ...
    @overload
    async def call(self, bridge: Literal["summarization"], /, **given: Unpack[SummarizationInput]) -> Answer[SummarizationResult]: ...
    @overload
    async def call(self, bridge: Literal["tax_jar_lookup"], /, **given: Unpack[TaxJarLookupInput]) -> Answer[TaxJarLookupResult]: ...
    @overload
    async def call(self, bridge: Literal["token_count"], /, **given: Unpack[TokenCountInput]) -> Answer[TokenCountResult]: ...
    @overload
    async def call(self, bridge: Literal["translation"], /, **given: Unpack[TranslationInput]) -> Answer[TranslationResult]: ...
    @overload
    async def call(self, bridge: Literal["validation"], /, **given: Unpack[ValidationInput]) -> Answer[ValidationResult]: ...
    @overload
    async def call(self, bridge: Literal["vat_number_check"], /, **given: Unpack[VatNumberCheckInput]) -> Answer[VatNumberCheckResult]: ...
    async def call(self, bridge: str, /, **given: Any) -> Answer[Any]:
        """Calls a bridge and pays for it; `call_any` takes those that are not known here."""
        return await self.call_any(bridge, given)

    @overload
    async def agent(self, agent: Literal["analytics-anomaly-detection", "analytics:anomaly-detection"], task: str | None = None, input: AnalyticsAnomalyDetectionAgentInput | None = None) -> Answer[AnalyticsAnomalyDetectionAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["analytics-forecast", "analytics:forecast"], task: str | None = None, input: AnalyticsForecastAgentInput | None = None) -> Answer[AnalyticsForecastAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["classification"], task: str | None = None, input: ClassificationAgentInput | None = None) -> Answer[ClassificationAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["code-review", "code:review"], task: str | None = None, input: CodeReviewAgentInput | None = None) -> Answer[CodeReviewAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["coding"], task: str | None = None, input: CodingAgentInput | None = None) -> Answer[CodingAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["compliance-audit", "compliance:audit"], task: str | None = None, input: ComplianceAuditAgentInput | None = None) -> Answer[ComplianceAuditAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["data-aggregation", "data:aggregation"], task: str | None = None, input: DataAggregationAgentInput | None = None) -> Answer[DataAggregationAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["data-extraction", "data:extraction"], task: str | None = None, input: DataExtractionAgentInput | None = None) -> Answer[DataExtractionAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["data-validation", "data:validation"], task: str | None = None, input: DataValidationAgentInput | None = None) -> Answer[DataValidationAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["general"], task: str | None = None, input: GeneralAgentInput | None = None) -> Answer[GeneralAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["pricing-optimization", "pricing:optimization"], task: str | None = None, input: PricingOptimizationAgentInput | None = None) -> Answer[PricingOptimizationAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["prompted"], task: str | None = None, input: dict[str, Any] | None = None) -> Answer[PromptedAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["research-citation", "research:citation"], task: str | None = None, input: ResearchCitationAgentInput | None = None) -> Answer[ResearchCitationAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["sales-lead-scoring", "sales:lead-scoring"], task: str | None = None, input: SalesLeadScoringAgentInput | None = None) -> Answer[SalesLeadScoringAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["sentiment"], task: str | None = None, input: SentimentAgentInput | None = None) -> Answer[SentimentAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["summarization"], task: str | None = None, input: SummarizationAgentInput | None = None) -> Answer[SummarizationAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["translation"], task: str | None = None, input: TranslationAgentInput | None = None) -> Answer[TranslationAgentOutput]: ...
    @overload
    async def agent(self, agent: Literal["video-evaluation", "video:evaluation"], task: str | None = None, input: VideoEvaluationAgentInput | None = None) -> Answer[VideoEvaluationAgentOutput]: ...
    async def agent(self, agent: str, task: str | None = None, input: Any = None) -> Answer[Any]:
        """Gives an agent a task in words, an input, or both, and pays for it."""
        return await self.agent_any(agent, task, input)

    async def call_any(self, bridge: str, given: Mapping[str, Any]) -> Answer[Any]:
        """Calls a bridge that has no types here."""
        raise NotImplementedError

    async def agent_any(self, agent: str, task: str | None, given: Mapping[str, Any] | None) -> Answer[Any]:
        """Gives a task to an agent that has no types here."""
        raise NotImplementedError
