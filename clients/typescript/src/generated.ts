// Typed inputs and results. Written by clients/generate.py; changes here are lost.

export interface AgentCardVerifyInput {
  /** The agent card as it is published. Give this or `resource_id`. */
  card?: Record<string, unknown> | null;
  /** The signer's JWK set (RFC 7517), for example from the address in `jku`: Ed25519 and P-256 keys, at most 16. A signature is tried with the first four that may have made it. Default: no keys, so no signature is verified. */
  jwks?: AgentCardVerifyInputJwks | null;
  /** Id of a stored agent card (`res_…`, JSON). Alone it is checked against the shape of A2A 0.3.0, and its signatures are read but have no key. */
  resource_id?: string | null;
}

export interface AgentCardVerifyInputJwks {
  /** The keys. */
  keys: unknown[];
}

export interface AgentCardVerifyResult {
  faults: AgentCardVerifyResultFaultsItem[];
  shape_ok: boolean;
  signatures: AgentCardVerifyResultSignaturesItem[];
  verified: boolean;
  warnings: AgentCardVerifyResultWarningsItem[];
}

export interface AgentCardVerifyResultFaultsItem {
  at: string;
  message: string;
}

export interface AgentCardVerifyResultSignaturesItem {
  alg: string | null;
  form: "jcs" | "sdk03" | "sdk1" | null;
  index: number;
  jku: string | null;
  kid: string | null;
  message: string;
  status: "valid" | "invalid" | "no_key" | "unsupported" | "malformed";
}

export interface AgentCardVerifyResultWarningsItem {
  at: string;
  message: string;
}

export interface AnomalyDetectionInput {
  /** generalized_esd only: significance of the test, 1e-9 to 0.5. Default: by `sensitivity`. */
  alpha?: number | null;
  /** CSV only: name or number (from 1) of the column with the values. Default: the last column that is numeric. */
  column?: string | null;
  /** Which side counts. Default: both. */
  direction?: "both" | "high" | "low";
  /** Most anomalies to list, the most extreme first to stay (1 to 2,000; default 500). For generalized_esd also the number of outliers tested for. */
  max_anomalies?: number | null;
  /** How to look. Default: auto. */
  method?: "auto" | "mad" | "iqr" | "generalized_esd" | "seasonal";
  /** auto and seasonal only: points in one cycle, or "auto" to find it. Default: auto. */
  period?: number | "auto" | null;
  /** Id of a stored resource (`res_…`) that holds CSV, or JSON of the shape of `values`. This bridge has no other natural key; alone, it means: this file, method auto. */
  resource_id?: string | null;
  /** How much to report when no threshold is given. Default: normal. */
  sensitivity?: "low" | "normal" | "high";
  /** mad, seasonal, auto: robust z-score from which a point is an outlier, 0.1 to 1,000. iqr: multiple of the interquartile range. Default: by `sensitivity`; z-scores are more in long series. Not for generalized_esd. */
  threshold?: number | null;
  /** Numbers, or objects with time and value in order of time; at most 20,000. Gaps are left out, not null. Give this or `resource_id`. */
  values?: (number | AnomalyDetectionInputValuesItem)[] | null;
}

export interface AnomalyDetectionInputValuesItem {
  /** ISO 8601, Unix seconds or milliseconds, or any growing number. */
  t: number | string;
  /** The value. */
  value: number;
}

export interface AnomalyDetectionResult {
  anomalies: AnomalyDetectionResultAnomaliesItem[];
  checked: number;
  count: number;
}

export interface AnomalyDetectionResultAnomaliesItem {
  direction: string;
  expected: number;
  index: number;
  lower: number;
  score: number;
  t?: number | string | null;
  upper: number;
  value: number;
}

export interface CitationCheckInput {
  /** References: running text, single identifiers or BibTeX entries; 1 to 100, each at most 4,000 characters, together at most 49,152 bytes. Give this or `resource_id`. */
  references?: string[] | null;
  /** One reference or identifier as text (`10.1000/182`, `ISBN 978-3-16-148410-0`), or the id of a stored text: BibTeX entries, else references apart by blank lines, else one a line. Alone it means: check it, format nothing. */
  resource_id?: string | null;
  /** Also write each reference in this style, where its parts are known. None unless given. */
  style?: "apa" | "vancouver" | "bibtex" | null;
}

export interface CitationCheckResult {
  duplicates: CitationCheckResultDuplicatesItem[];
  references: CitationCheckResultReferencesItem[];
  summary: CitationCheckResultSummary;
}

export interface CitationCheckResultDuplicatesItem {
  indexes: number[];
  kind: "doi" | "arxiv" | "pmid" | "pmcid" | "orcid" | "isbn" | "issn" | "url";
  normalised: string;
}

export interface CitationCheckResultReferencesItem {
  csl: CitationCheckResultReferencesItemCsl;
  formatted: string | null;
  identifiers: CitationCheckResultReferencesItemIdentifiersItem[];
  index: number;
  issues: string[];
  ok: boolean;
  read_as: string;
  text: string;
}

export interface CitationCheckResultReferencesItemCsl {
  DOI?: string | null;
  ISBN?: string | null;
  ISSN?: string | null;
  PMCID?: string | null;
  PMID?: string | null;
  URL?: string | null;
  author?: CitationCheckResultReferencesItemCslAuthorItem[];
  "container-title"?: string | null;
  edition?: string | null;
  editor?: CitationCheckResultReferencesItemCslEditorItem[];
  id: string;
  issue?: string | null;
  issued?: CitationCheckResultReferencesItemCslIssued | null;
  number?: string | null;
  page?: string | null;
  publisher?: string | null;
  "publisher-place"?: string | null;
  title?: string | null;
  type: string;
  volume?: string | null;
}

export interface CitationCheckResultReferencesItemCslAuthorItem {
  family?: string | null;
  given?: string | null;
  literal?: string | null;
}

export interface CitationCheckResultReferencesItemCslEditorItem {
  family?: string | null;
  given?: string | null;
  literal?: string | null;
}

export interface CitationCheckResultReferencesItemCslIssued {
  "date-parts": number[][];
}

export interface CitationCheckResultReferencesItemIdentifiersItem {
  fault?: string | null;
  group?: string | null;
  isbn10?: string | null;
  kind: "doi" | "arxiv" | "pmid" | "pmcid" | "orcid" | "isbn" | "issn" | "url";
  normalised: string;
  printed: string;
  start: number;
  submitted?: string | null;
  text: string;
  url: string | null;
  valid: boolean;
  version?: number | null;
}

export interface CitationCheckResultSummary {
  identifiers: number;
  invalid: number;
  references: number;
  without_identifier: number;
}

export interface ClassificationInput {
  /** What to learn from. Default: auto (words for naive_bayes and centroid, unless `method` is auto too). */
  features?: "auto" | "words" | "subwords";
  /** Two to 50 labels; 100,000 bytes of examples and descriptions in all. Give them here or in the stored file. */
  labels?: ClassificationInputLabelsItem[] | null;
  /** How to learn. Default: auto. */
  method?: "auto" | "naive_bayes" | "centroid";
  /** A best score below this gives no label (0 to 1; default 0). naive_bayes: a probability; centroid: a cosine. */
  min_score?: number | null;
  /** Id of a stored resource (`res_…`): a JSON object with any of `text`, `texts`, `labels` (what the input gives too counts instead), or plain text to classify. Alone it means: a JSON object with labels and texts, method auto. */
  resource_id?: string | null;
  /** A text to classify. Give this or `texts`, here or in the stored file. */
  text?: string | null;
  /** Up to 200 texts, 200,000 bytes in all. Give this or `text`, here or in the stored file. */
  texts?: string[] | null;
}

export interface ClassificationInputLabelsItem {
  /** What belongs here, in words that such texts use. Default: none. */
  description?: string | null;
  /** Texts that belong here, at most 200. Default: none. */
  examples?: string[];
  /** 1 to 100 characters; no two alike. It is learnt from only where there are no examples. */
  name: string;
}

export interface ClassificationResult {
  texts: ClassificationResultTextsItem[];
}

export interface ClassificationResultTextsItem {
  evidence: ClassificationResultTextsItemEvidenceItem[];
  index: number;
  label: string | null;
  margin: number;
  scores: ClassificationResultTextsItemScoresItem[];
}

export interface ClassificationResultTextsItemEvidenceItem {
  weight: number;
  word: string;
}

export interface ClassificationResultTextsItemScoresItem {
  label: string;
  score: number;
}

export interface CodeGenerationInput {
  /** Existing code that the new code shall fit to, at most 128 KiB. Default: none. */
  context?: string | null;
  /** The language. Default: python. */
  language?: "python" | "javascript" | "typescript" | "rust" | "go" | "java" | "c" | "cpp" | "csharp" | "sql" | "json" | "bash" | "html" | "yaml" | "kotlin" | "php" | "ruby" | "swift" | "lua" | "r" | "perl" | "dart" | "scala" | "powershell" | null;
  /** Where the code is cut off, 64 to 16,384 tokens. Default: 4,096. */
  max_tokens?: number | null;
  /** A model's id; default `auto`, the host's choice. */
  model?: string | null;
  /** Id of a stored resource (`res_…`) with the specification as UTF-8 text, at most 32 KiB. This bridge has no other natural key; alone it means: write this in Python. */
  resource_id?: string | null;
  /** What the code shall do, at most 32 KiB. Give this or `resource_id`. */
  spec?: string | null;
}

export interface CodeGenerationResult {
  attempts: number;
  check: string | null;
  code: string;
  cost_millipence: number;
  input_tokens: number;
  language: "python" | "javascript" | "typescript" | "rust" | "go" | "java" | "c" | "cpp" | "csharp" | "sql" | "json" | "bash" | "html" | "yaml" | "kotlin" | "php" | "ruby" | "swift" | "lua" | "r" | "perl" | "dart" | "scala" | "powershell";
  mistake: CodeGenerationResultMistake | null;
  model: string;
  output_tokens: number;
  passed: boolean | null;
  provider: string;
}

export interface CodeGenerationResultMistake {
  line: number;
  message: string;
}

export interface CodeMetricsInput {
  /** Cognitive complexity above which a function is a hotspot, 1 to 1,000. Default: 15. */
  cognitive_max?: number | null;
  /** Cyclomatic complexity above which a function is a hotspot, 1 to 1,000. Default: 10 (McCabe 1976). */
  cyclomatic_max?: number | null;
  /** Tokens in a row that must be equal for a duplicate, 20 to 1,000. Default: 60. */
  duplicate_tokens?: number | null;
  /** Files with their paths; at most 200, 1 MiB and 300,000 tokens in all. Give this, `source` or `resource_id`. */
  files?: CodeMetricsInputFilesItem[] | null;
  /** Language of `source` or of the resource. Default: by `path`, else by the text. */
  language?: "python" | "javascript" | "typescript" | "java" | "csharp" | "kotlin" | "go" | "rust" | "c" | "cpp" | "php" | null;
  /** Lines with code above which a function is a hotspot, 1 to 10,000. Default: 60. */
  lines_max?: number | null;
  /** Most functions and duplicates to list, the worst first (1 to 1,000; default 200). */
  max_listed?: number | null;
  /** Path of `source` or of the resource. At most 300 bytes. Default: none. */
  path?: string | null;
  /** Id of a stored resource (`res_…`): a text file. This bridge has no other natural key; alone, it means: this file, its language by its first line or its words. */
  resource_id?: string | null;
  /** The text of a single file. Give this, `files` or `resource_id`. */
  source?: string | null;
}

export interface CodeMetricsInputFilesItem {
  /** Its text. */
  content: string;
  /** Its path; decides the language. */
  path: string;
}

export interface CodeMetricsResult {
  duplicates: CodeMetricsResultDuplicatesItem[];
  files: CodeMetricsResultFilesItem[];
  functions: CodeMetricsResultFunctionsItem[];
  hotspots: CodeMetricsResultHotspotsItem[];
  totals: CodeMetricsResultTotals;
}

export interface CodeMetricsResultDuplicatesItem {
  first: CodeMetricsResultDuplicatesItemFirst;
  lines: number;
  second: CodeMetricsResultDuplicatesItemSecond;
  tokens: number;
}

export interface CodeMetricsResultDuplicatesItemFirst {
  end_line: number;
  line: number;
  path: string;
}

export interface CodeMetricsResultDuplicatesItemSecond {
  end_line: number;
  line: number;
  path: string;
}

export interface CodeMetricsResultFilesItem {
  blank_lines: number;
  code_lines: number;
  cognitive: number;
  comment_lines: number;
  cyclomatic: number;
  functions: number;
  language: "python" | "javascript" | "typescript" | "java" | "csharp" | "kotlin" | "go" | "rust" | "c" | "cpp" | "php";
  path: string;
}

export interface CodeMetricsResultFunctionsItem {
  code_lines: number;
  cognitive: number;
  cyclomatic: number;
  end_line: number;
  line: number;
  name: string;
  nesting: number;
  parameters: number;
  path: string;
}

export interface CodeMetricsResultHotspotsItem {
  bound: number;
  line: number;
  measure: string;
  name: string;
  path: string;
  reasons: string[];
  value: number;
}

export interface CodeMetricsResultTotals {
  blank_lines: number;
  code_lines: number;
  comment_lines: number;
  duplicated_share: number;
  files: number;
  functions: number;
  mean_cyclomatic: number;
  most_cognitive: number;
  most_cyclomatic: number;
}

export interface DataProfileInput {
  /** The table as text: CSV (separator and header are found), a JSON array of objects or of arrays, or JSON lines; at most 1 MiB. Give this, `rows` or `resource_id`. */
  data?: string | null;
  /** How the text is written. Default: by the first character; `{` and `[` are JSON. */
  format?: "csv" | "json" | "json_lines" | null;
  /** CSV only: the first row has names. Default: it does when all its cells are texts, differ, and are not empty. */
  header?: boolean | null;
  /** Texts that mean a missing value, besides the empty one; case does not matter. Default: null, none, na, n/a, nan, -. */
  missing?: string[] | null;
  /** Id of a stored resource (`res_…`): the same as `data`, as a file. This bridge has no other natural key; alone, it means: this file, everything by default. */
  resource_id?: string | null;
  /** The table as JSON: objects or arrays. Nested values count as text. Give this, `data` or `resource_id`. */
  rows?: unknown[] | null;
  /** CSV only: the character between cells. Default: comma, semicolon, tab or bar, whichever fits best. */
  separator?: string | null;
  /** Most frequent values listed of each column, 0 to 20. Default: 5. */
  top?: number | null;
}

export interface DataProfileResult {
  candidate_keys: string[][];
  columns: DataProfileResultColumnsItem[];
  duplicate_at: number[];
  duplicate_rows: number;
  format: "csv" | "json" | "json_lines";
  issues: DataProfileResultIssuesItem[];
  rows: number;
  separator?: string | null;
}

export interface DataProfileResultColumnsItem {
  dates?: DataProfileResultColumnsItemDates | null;
  distinct: number;
  missing: number;
  missing_share: number;
  name: string;
  numbers?: DataProfileResultColumnsItemNumbers | null;
  texts?: DataProfileResultColumnsItemTexts | null;
  top: DataProfileResultColumnsItemTopItem[];
  type: string;
  types: Record<string, number>;
}

export interface DataProfileResultColumnsItemDates {
  first: string;
  last: string;
  order: string;
}

export interface DataProfileResultColumnsItemNumbers {
  least: number;
  mean: number;
  median: number;
  most: number;
  negative: number;
  outliers: number;
  outliers_at: number[];
  p05: number;
  p25: number;
  p75: number;
  p95: number;
  standard_deviation: number;
  zeros: number;
}

export interface DataProfileResultColumnsItemTexts {
  longest: number;
  mean: number;
  padded: number;
  shape?: string | null;
  shortest: number;
}

export interface DataProfileResultColumnsItemTopItem {
  count: number;
  value: string;
}

export interface DataProfileResultIssuesItem {
  column?: string | null;
  kind: string;
  message: string;
  severity: string;
}

export interface EmailVerificationInput {
  /** The address alone (`name@example.org`), without display name and angle brackets; at most 1,000 bytes. White space around it is taken away. Give this or `resource_id`. */
  email?: string | null;
  /** The address, as `email` takes it; alone it is checked. Not the id of a stored resource. */
  resource_id?: string | null;
}

export interface EmailVerificationResult {
  domain: EmailVerificationResultDomain | null;
  local_part: string | null;
  mx: string;
  needs_smtputf8: boolean;
  normalised: string | null;
  reasons: EmailVerificationResultReasonsItem[];
  role_account: boolean;
  suggestion: EmailVerificationResultSuggestion | null;
  syntax: EmailVerificationResultSyntax;
  tag: string | null;
  valid: boolean;
  verdict: "accept" | "review" | "reject";
}

export interface EmailVerificationResultDomain {
  ascii: string;
  common_provider: boolean;
  disposable: boolean;
  known_tld: boolean;
  private_suffix: boolean;
  public_suffix: string;
  registrable: string | null;
  reserved: boolean;
  unicode: string;
}

export interface EmailVerificationResultReasonsItem {
  code: string;
  message: string;
  weight: "accept" | "review" | "reject";
}

export interface EmailVerificationResultSuggestion {
  distance: number;
  email: string;
}

export interface EmailVerificationResultSyntax {
  address_literal: boolean;
  level: string;
  position: number | null;
  quoted: boolean;
}

export interface EntityMatchInput {
  /** A second list: links between the two are looked for instead of duplicates in the first. Default: one list. */
  against?: (Record<string, boolean | number | string | null>)[] | null;
  /** List how every field of a pair compares. Default: true. */
  details?: boolean | null;
  /** Fields to compare, at most 20. Default: every member but the id, its type by its name and values. */
  fields?: EntityMatchInputFieldsItem[] | null;
  /** Member that names a record; its first 40 characters are shown in the answer, it is not compared. Default: `id` or `rec_id` where there is one. */
  id_field?: string | null;
  /** Most pairs to list, the likeliest first (1 to 250, without `details` to 4,000; default 200). */
  max_pairs?: number | null;
  /** With two lists: a record is matched once at most, the likeliest pairs first. Default: false. */
  one_to_one?: boolean;
  /** Where the weights come from. Default: estimated from 50 records on, else fixed. */
  parameters?: "fixed" | "estimated" | null;
  /** Records: objects of plain values, at most 5,000 in both lists together. Give this or `resource_id`. */
  records?: (Record<string, boolean | number | string | null>)[] | null;
  /** Id of a stored resource (`res_…`) that holds the records: CSV with a header, a JSON array of objects, or JSON lines. It takes the place of `records`. This bridge has no other natural key; alone, it means: duplicates in this file, fields by their names. */
  resource_id?: string | null;
  /** Probability from which a pair is listed for review, 0.01 up to `threshold`. Default: 0.5. */
  review?: number | null;
  /** Probability from which a pair is a match, 0.5 to 0.9999. Default: 0.9. */
  threshold?: number | null;
}

export interface EntityMatchInputFieldsItem {
  /** Probability that two records of the same entity agree exactly here, 0.01 to 0.9999. Default: fixed (0.8) or estimated. */
  m?: number | null;
  /** Member of the records; at most 100 bytes. */
  name: string;
  /** How it is compared. Default: by its name and values. */
  type?: "name" | "address" | "date" | "number" | "email" | "phone" | "code" | "text" | null;
  /** Probability that two records of different entities agree exactly here, 0.000001 to 0.9. Default: fixed (by type) or estimated. */
  u?: number | null;
}

export interface EntityMatchResult {
  compared: number;
  groups: number[][];
  matches: number;
  pairs: EntityMatchResultPairsItem[];
  possible: number;
  to_review: number;
}

export interface EntityMatchResultPairsItem {
  a: number;
  a_id?: string | null;
  b: number;
  b_id?: string | null;
  decision: string;
  fields: EntityMatchResultPairsItemFieldsItem[];
  probability: number;
  weight: number;
}

export interface EntityMatchResultPairsItemFieldsItem {
  agreement: string;
  name: string;
  similarity: number;
  weight: number;
}

export interface ForecastInput {
  /** CSV only: name or number (from 1) of the column with the values. Default: the last column that is numeric. */
  column?: string | null;
  /** Points to forecast, 1 to 400, and at most as many as are given. Default: one cycle where there is one (at most 48), else 8; never more than half of the points given. */
  horizon?: number | null;
  /** Coverage of the prediction intervals, 0.5 to 0.995, at most four. Default: 0.8 and 0.95. */
  levels?: number[] | null;
  /** Values above this cannot occur. Default: none. */
  maximum?: number | null;
  /** How to forecast. Default: auto, which tries all and takes what did best in the back-test. */
  method?: "auto" | "seasonal_naive" | "drift" | "ets" | "theta" | "decomposition" | "autoregression" | "combination";
  /** Values below this cannot occur (0 for counts): forecasts and intervals are cut there. Default: none. */
  minimum?: number | null;
  /** Points in one cycle (2 to 400; at least two cycles and one point must be given), 1 for no season, or "auto" to find it. Default: auto. */
  period?: number | "auto" | null;
  /** Id of a stored resource (`res_…`) that holds CSV, or JSON of the shape of `values`. This bridge has no other natural key; alone, it means: this file, everything else by default. */
  resource_id?: string | null;
  /** Numbers, or objects with time and value in order of time; 6 to 10,000, evenly spaced. Missing values are not filled: put a value of your own there. Give this or `resource_id`. */
  values?: (number | ForecastInputValuesItem)[] | null;
}

export interface ForecastInputValuesItem {
  /** ISO 8601, Unix seconds or milliseconds, or any growing number. */
  t: number | string;
  /** The value. */
  value: number;
}

export interface ForecastResult {
  fitted_on: number;
  given: number;
  points: ForecastResultPointsItem[];
}

export interface ForecastResultPointsItem {
  intervals: ForecastResultPointsItemIntervalsItem[];
  step: number;
  t?: number | string | null;
  value: number;
}

export interface ForecastResultPointsItemIntervalsItem {
  level: number;
  lower: number;
  upper: number;
}

export interface FraudSignalInput {
  /** Your id of the customer's account, for counting; kept for a day as a 64-bit digest. Default: only calls of the address are counted. */
  account?: string | null;
  /** Country of the bill, ISO 3166-1 alpha-2 (`GB`; `UK` is taken for it). Default: countries are not compared. */
  billing_country?: string | null;
  /** E-mail address of the customer; only its domain is used. Default: no domain is looked up. */
  email?: string | null;
  /** Count this call, and compare it with your calls of the last 24 hours. Default: true. With false the answer depends on the tables alone. */
  history?: boolean | null;
  /** IPv4 (`203.0.113.9`) or IPv6 (`2001:db8::1`), without port, prefix length or zone. Give this or `resource_id`. */
  ip?: string | null;
  /** The IP address, as `ip` takes it; alone it is checked by itself. Not the id of a stored resource. */
  resource_id?: string | null;
  /** What each signal adds to the score. Default: this bridge's rules of thumb. */
  weights?: FraudSignalInputWeights | null;
}

export interface FraudSignalInputWeights {
  /** 60 calls with this address in an hour; 20 add five eighths of it, 10 a quarter. Default: 40. */
  address_velocity?: number | null;
  /** On the operator's list of Tor exits, VPNs and proxies. Default: 40. */
  anonymity?: number | null;
  /** On the operator's list of bad addresses. Default: 50. */
  blocklist?: number | null;
  /** Another country than that of the bill. Default: 20. */
  country_mismatch?: number | null;
  /** E-mail of a disposable domain. Default: 30. */
  disposable_email?: number | null;
  /** An IPv6 transition gateway. Default: 20. */
  gateway?: number | null;
  /** On the list of data centres. Default: 25. */
  hosting?: number | null;
  /** 10 accounts with this address in 24 hours; 5 add five eighths of it, 3 a quarter. Default: 40. */
  many_accounts?: number | null;
  /** 10 addresses of this account in 24 hours; 5 add five eighths of it, 3 a quarter. Default: 40. */
  many_addresses?: number | null;
  /** An address that no registry has delegated to a country. Default: 20. */
  no_country?: number | null;
  /** An address that no client on the internet has. Default: 60. */
  special_range?: number | null;
}

export interface FraudSignalResult {
  checks: FraudSignalResultChecksItem[];
  country: string | null;
  depends_on_history: boolean;
  ip: string;
  ip_version: number;
  level: "low" | "medium" | "high" | "unknown";
  score: number;
  signals: FraudSignalResultSignalsItem[];
  velocity: FraudSignalResultVelocity | null;
}

export interface FraudSignalResultChecksItem {
  done: boolean;
  name: string;
  reason: string | null;
}

export interface FraudSignalResultSignalsItem {
  evidence: string;
  name: "special_range" | "gateway" | "no_country" | "anonymity" | "hosting" | "blocklist" | "country_mismatch" | "disposable_email" | "address_velocity" | "many_accounts" | "many_addresses";
  weight: number;
}

export interface FraudSignalResultVelocity {
  accounts_of_address: number | null;
  addresses_of_account: number | null;
  calls_day: number;
  calls_hour: number;
}

export interface HtmlExtractionInput {
  /** Where the document comes from, an `http` or `https` address: its links are resolved against it (and against a `base` element first). Nothing is fetched. At most 2,000 characters. Default: only a `base` element counts. */
  base_url?: string | null;
  /** The HTML: the whole input has 1,048,576 bytes at most, the document 100,000 nodes and 256 elements inside each other. Give this or `resource_id`. */
  html?: string | null;
  /** Most characters of the main text (1 to 150,000; default 50,000). */
  max_characters?: number | null;
  /** Most links (0 to 1,000; default 300). */
  max_links?: number | null;
  /** Most tables (0 to 100; default 20). */
  max_tables?: number | null;
  /** Id of a stored resource (`res_…`): HTML in UTF-8. Alone it means: this document, without a base for its links. */
  resource_id?: string | null;
}

export interface HtmlExtractionResult {
  counts: HtmlExtractionResultCounts;
  headings: HtmlExtractionResultHeadingsItem[];
  links: HtmlExtractionResultLinksItem[];
  main: HtmlExtractionResultMain;
  metadata: HtmlExtractionResultMetadata;
  tables: HtmlExtractionResultTablesItem[];
  title: string | null;
}

export interface HtmlExtractionResultCounts {
  headings: number;
  links: number;
  nodes: number;
  tables: number;
}

export interface HtmlExtractionResultHeadingsItem {
  id: string | null;
  in_main: boolean;
  level: number;
  text: string;
}

export interface HtmlExtractionResultLinksItem {
  href: string;
  in_main: boolean;
  internal: boolean | null;
  kind: string;
  rel: string[];
  text: string;
  url: string | null;
}

export interface HtmlExtractionResultMain {
  characters: number;
  element: string | null;
  found: string;
  score: number | null;
  share: number;
  text: string;
  truncated: boolean;
}

export interface HtmlExtractionResultMetadata {
  author: string | null;
  canonical: string | null;
  charset: string | null;
  description: string | null;
  json_ld_broken: number;
  json_ld_types: string[];
  lang: string | null;
  modified: HtmlExtractionResultMetadataModified | null;
  open_graph: HtmlExtractionResultMetadataOpenGraphItem[];
  published: HtmlExtractionResultMetadataPublished | null;
  robots: string | null;
  site_name: string | null;
  twitter: HtmlExtractionResultMetadataTwitterItem[];
}

export interface HtmlExtractionResultMetadataModified {
  from: string;
  value: string;
}

export interface HtmlExtractionResultMetadataOpenGraphItem {
  content: string;
  property: string;
}

export interface HtmlExtractionResultMetadataPublished {
  from: string;
  value: string;
}

export interface HtmlExtractionResultMetadataTwitterItem {
  content: string;
  property: string;
}

export interface HtmlExtractionResultTablesItem {
  caption: string | null;
  columns: number;
  header_rows: number;
  headers: string[];
  in_main: boolean;
  layout: boolean;
  row_headers: boolean;
  rows: string[][];
  spans: number;
  truncated: boolean;
}

export interface IbanValidationInput {
  /** The national account number (BBAN) in the country's full length, spaces and hyphens allowed. Give this with `country`, or an IBAN. */
  bban?: string | null;
  /** With `bban`: the country's ISO 3166-1 alpha-2 code (or XK), to make the IBAN of a national account number. Give it with `bban` alone. */
  country?: string | null;
  /** The IBAN in any written form: small letters, spaces, hyphens, full stops and the word `IBAN` before it are taken away. Give this, `resource_id`, or `country` and `bban`. */
  iban?: string | null;
  /** The IBAN, as `iban` takes it; alone it is checked. Not the id of a stored resource. */
  resource_id?: string | null;
}

export interface IbanValidationResult {
  bank_code: string | null;
  bban: string | null;
  branch_code: string | null;
  country: string | null;
  expected_check_digits: string | null;
  expected_length: number | null;
  faults: IbanValidationResultFaultsItem[];
  fields: IbanValidationResultFieldsItem[];
  formatted: string;
  iban: string;
  masked: string;
  national_check: "passed" | "failed" | "no_rule" | "not_checked";
  national_rule: string | null;
  registered: boolean | null;
  sepa: boolean | null;
  structure: string | null;
  valid: boolean;
}

export interface IbanValidationResultFaultsItem {
  code: string;
  message: string;
  position: number | null;
}

export interface IbanValidationResultFieldsItem {
  name: string;
  position: number;
  registry: boolean;
  value: string;
}

export interface KeywordExtractionInput {
  /** A phrase as similar as this to a better one is left out (0 to 1, by edit distance; 1 keeps all; default 0.8). */
  deduplicate?: number | null;
  /** Words that are no key words here, as stop words; at most 500. Default: none. */
  exclude?: string[];
  /** Whose stop words are left out at the ends of phrases. Default: the language of these that the stop words of the text speak for most, en where none does. */
  language?: "cs" | "da" | "de" | "el" | "en" | "es" | "fi" | "fr" | "hu" | "it" | "nl" | "no" | "pl" | "pt" | "ro" | "ru" | "sv" | "tr" | "uk" | "other" | null;
  /** Most phrases to list (1 to 100; default 10). */
  max_phrases?: number | null;
  /** Most words in a phrase (1 to 4; default 3). */
  max_words?: number | null;
  /** Id of a stored resource (`res_…`): plain text in UTF-8. Alone it means: this text, its language found, ten phrases. */
  resource_id?: string | null;
  /** The text, 200,000 bytes at most. Give this or `resource_id`. */
  text?: string | null;
}

export interface KeywordExtractionResult {
  candidates: number;
  language: "cs" | "da" | "de" | "el" | "en" | "es" | "fi" | "fr" | "hu" | "it" | "nl" | "no" | "pl" | "pt" | "ro" | "ru" | "sv" | "tr" | "uk" | "other";
  phrases: KeywordExtractionResultPhrasesItem[];
  sentences: number;
}

export interface KeywordExtractionResultPhrasesItem {
  count: number;
  places: KeywordExtractionResultPhrasesItemPlacesItem[];
  score: number;
  text: string;
}

export interface KeywordExtractionResultPhrasesItemPlacesItem {
  end_byte: number;
  end_char: number;
  start_byte: number;
  start_char: number;
}

export interface LanguageDetectionInput {
  /** Only these languages come into question, by ISO 639-1 or 639-3 code. Default: all 70 known ones. */
  languages?: string[] | null;
  /** Id of a stored resource (`res_…`): a text in UTF-8, taken as one. Alone it means: its language, of all known ones. */
  resource_id?: string | null;
  /** A text; 500,000 bytes at most. Give this, `texts` or `resource_id`. */
  text?: string | null;
  /** Up to 1,000 texts, 500,000 bytes in all. Give this, `text` or `resource_id`. */
  texts?: string[] | null;
}

export interface LanguageDetectionResult {
  texts: LanguageDetectionResultTextsItem[];
}

export interface LanguageDetectionResultTextsItem {
  alternatives: string[];
  confidence: number;
  doubts: ("near_tie" | "few_letters" | "foreign_letters" | "unusual_letters" | "missing_letters" | "unlisted_twin")[];
  index: number;
  iso639_3: string | null;
  language: string | null;
  letters: number;
  name: string | null;
  native_name: string | null;
  reliable: boolean;
  script: string | null;
  script_code: string | null;
}

export interface LeadScoreInput {
  /** When events are counted from: ISO 8601, or Unix seconds or milliseconds. Default: the time of the call. */
  as_of?: number | string | null;
  /** What the lead did, in any order; at most 1,000. Left out, engagement is unknown and adds nothing, as if empty; weight 0 leaves it out of the scale. */
  events?: LeadScoreInputEventsItem[] | null;
  /** Decayed points of events at which engagement is full, 0.1 to 100,000. Default: 20. */
  full_engagement?: number | null;
  /** Scores from which a lead is A, B or C. Default: 75, 55, 35. */
  grades?: LeadScoreInputGrades | null;
  /** Days after which an event counts half, 0.1 to 3,650. Default: 14. */
  half_life_days?: number | null;
  /** Who it is. Give this, or `resource_id`. */
  lead?: LeadScoreInputLead | null;
  /** The ideal customer. What it does not name is not scored. Default: none. */
  profile?: LeadScoreInputProfile | null;
  /** An e-mail address: alone it means a lead of which nothing else is known, so only the contact is scored. Or the id of a stored resource (`res_…`): a JSON object with `lead`, and `profile` and `events` if wanted. */
  resource_id?: string | null;
  /** How much each part counts. Default: title 20, industry 15, country 10, size 15, email 15, completeness 5, engagement 20. Weights of what is scored are scaled to 100; contact and engagement are always scored. */
  weights?: LeadScoreInputWeights | null;
}

export interface LeadScoreInputEventsItem {
  /** When: ISO 8601, or Unix seconds or milliseconds. At most a day after `as_of`. */
  at: number | string;
  /** Points when fresh, -100 to 100. Default: by type. */
  points?: number | null;
  /** demo_request, trial_start (10), meeting (8), reply (6), form_submit, pricing_page (5), webinar (4), download (3), email_click (2), page_view, email_open (0.5), email_bounce, unsubscribe (-10); in brackets the points. Any other name needs `points`. */
  type: string;
}

export interface LeadScoreInputGrades {
  /** Least score of an A, 0 to 100, above `b`. */
  a: number;
  /** Least score of a B, above `c`. */
  b: number;
  /** Least score of a C, from 0; below it is D. */
  c: number;
}

export interface LeadScoreInputLead {
  /** Name of the company; counts for completeness only. */
  company?: string | null;
  /** Country, written as in the profile. */
  country?: string | null;
  /** E-mail address. */
  email?: string | null;
  /** Employees of the company, from 0. */
  employees?: number | null;
  /** Industry, written as in the profile. */
  industry?: string | null;
  /** Name of the person; counts for completeness only. */
  name?: string | null;
  /** Phone number; counts for completeness only. */
  phone?: string | null;
  /** Job title, compared with those of the profile. */
  title?: string | null;
  /** Web address or domain of the company; compared with the domain of the e-mail address. */
  website?: string | null;
}

export interface LeadScoreInputProfile {
  /** Countries, as leads name them; case does not matter. Default: none, so countries are not scored. */
  countries?: string[];
  /** Most employees. Default: no bound. */
  employees_max?: number | null;
  /** Least employees. Default: 0; without either bound the size is not scored. */
  employees_min?: number | null;
  /** Industries, as leads name them; case does not matter. Default: none, so industries are not scored. */
  industries?: string[];
  /** Job titles; a title fits as far as it has the words of one of them. Default: none, so titles are not scored. */
  titles?: string[];
}

export interface LeadScoreInputWeights {
  /** Of how much of the contact is there, 0 to 1,000. Default: 5. */
  completeness?: number | null;
  /** Of the country, 0 to 1,000. Default: 10. */
  country?: number | null;
  /** Of the e-mail address, 0 to 1,000. Default: 15. */
  email?: number | null;
  /** Of the events, 0 to 1,000. Default: 20. */
  engagement?: number | null;
  /** Of the industry, 0 to 1,000. Default: 15. */
  industry?: number | null;
  /** Of the number of employees, 0 to 1,000. Default: 15. */
  size?: number | null;
  /** Of the job title, 0 to 1,000. Default: 20. */
  title?: number | null;
}

export interface LeadScoreResult {
  contributions: LeadScoreResultContributionsItem[];
  flags: string[];
  grade: string;
  known: number;
  score: number;
  score_of_known: number | null;
  strongest_events: LeadScoreResultStrongestEventsItem[];
}

export interface LeadScoreResultContributionsItem {
  most: number;
  part: string;
  points: number;
  reason: string;
  value: number | null;
}

export interface LeadScoreResultStrongestEventsItem {
  age_days: number;
  decayed: number;
  index: number;
  points: number;
  type: string;
}

export interface MediaProbeInput {
  /** How the captions are written. Default: by the text; one that begins with WEBVTT is that, any other is SRT. */
  caption_format?: "srt" | "webvtt" | null;
  /** Captions as text: SubRip (SRT) or WebVTT; at most 1 MiB. Give these, `media`, or `resource_id`. */
  captions?: string | null;
  /** Size of the whole file in bytes, where only its beginning is given. Default: what is given is the whole. */
  file_bytes?: number | null;
  /** The media file in base64 (standard alphabet, padding and line breaks optional): MP4, MOV, M4A and other ISO base media, WAV, or MP3. At most 1 MiB of base64; of a bigger file its beginning, with `file_bytes`: enough where `moov` comes first. Give this, `captions`, or `resource_id`. */
  media?: string | null;
  /** Duration of the media in seconds, where it is not given itself or does not tell; 0 to 1,000,000. Default: what the media tells. */
  media_seconds?: number | null;
  /** Id of a stored resource (`res_…`): a media file or a caption file, told apart by its bytes. Alone it means: probe this file, everything by default. It may stand beside `media` or `captions`, as the other one of the two. */
  resource_id?: string | null;
  /** When a cue counts as hard to read. Default: those of a published style guide. */
  thresholds?: MediaProbeInputThresholds | null;
}

export interface MediaProbeInputThresholds {
  /** Most characters a second, spaces and punctuation counted, mark-up and line breaks not. Default: 17; for children 13. */
  characters_per_second?: number | null;
  /** How far a cue may reach beyond the end of the media, in seconds. Default: 0.1 (a choice of this bridge: rounding). */
  end_tolerance_seconds?: number | null;
  /** Shortest gap between cues that do not touch or overlap, in seconds. Default: 0, which is no check (the guide asks for two frames, which depends on the frame rate). */
  least_gap_seconds?: number | null;
  /** Shortest time on screen, in seconds. Default: 0.833 (five sixths, cut to milliseconds). */
  least_seconds?: number | null;
  /** Most characters a line. Default: 42. */
  line_characters?: number | null;
  /** Most lines a cue. Default: 2. */
  lines?: number | null;
  /** Longest time on screen, in seconds. Default: 7. */
  most_seconds?: number | null;
  /** Most words a minute. Default: 200; for children 160. The BBC's subtitle guidelines recommend 160 to 180. */
  words_per_minute?: number | null;
}

export interface MediaProbeResult {
  captions?: MediaProbeResultCaptions | null;
  fit?: MediaProbeResultFit | null;
  issue_counts: Record<string, number>;
  issues: MediaProbeResultIssuesItem[];
  media?: MediaProbeResultMedia | null;
}

export interface MediaProbeResultCaptions {
  characters: number;
  comments: number;
  cues: number;
  fastest_cue?: number | null;
  first_seconds?: number | null;
  format: "srt" | "webvtt";
  last_seconds?: number | null;
  longest_line: number;
  mean_characters_per_second?: number | null;
  mean_words_per_minute?: number | null;
  most_characters_per_second?: number | null;
  most_lines: number;
  regions: number;
  shown_seconds: number;
  styles: number;
  thresholds: MediaProbeResultCaptionsThresholds;
  words: number;
}

export interface MediaProbeResultCaptionsThresholds {
  characters_per_second: number;
  defaults: string;
  end_tolerance_seconds: number;
  least_gap_seconds: number;
  least_seconds: number;
  line_characters: number;
  lines: number;
  most_seconds: number;
  words_per_minute: number;
}

export interface MediaProbeResultFit {
  cues_across_end: number;
  cues_after_end: number;
  media_seconds: number;
  seconds_without_captions_at_end?: number | null;
}

export interface MediaProbeResultIssuesItem {
  cue?: number | null;
  kind: string;
  line?: number | null;
  message: string;
  severity: string;
  track?: number | null;
}

export interface MediaProbeResultMedia {
  bit_rate?: number | null;
  brand?: string | null;
  bytes: number;
  codecs?: string | null;
  compatible_brands?: string[];
  duration_seconds?: number | null;
  faststart?: boolean | null;
  format: string;
  fragmented?: boolean | null;
  fragments?: number | null;
  tracks: MediaProbeResultMediaTracksItem[];
}

export interface MediaProbeResultMediaTracksItem {
  bit_rate?: number | null;
  bits_per_sample?: number | null;
  channels?: number | null;
  codec?: string | null;
  constant_frame_rate?: boolean | null;
  display_height?: number | null;
  display_width?: number | null;
  duration_seconds?: number | null;
  edits?: number | null;
  enabled?: boolean | null;
  encrypted: boolean;
  format?: string | null;
  frame_rate?: number | null;
  height?: number | null;
  id: number;
  kind: string;
  language?: string | null;
  rotation_degrees?: number | null;
  sample_rate?: number | null;
  samples?: number | null;
  sync_samples?: number | null;
  width?: number | null;
}

export interface ModelInferenceInput {
  /** A JSON Schema, at most 32 KiB: the answer is JSON that fits it. An answer that is no JSON is an error and costs nothing. Default: plain text. */
  json_schema?: unknown;
  /** Where the answer is cut off, 1 to 4,096 tokens. Default: 512. */
  max_tokens?: number | null;
  /** A conversation of at most 64 turns, the last of which is the user's. Give this, `prompt` or `resource_id`. */
  messages?: ModelInferenceInputMessagesItem[] | null;
  /** A model's id; default `auto`, the host's choice. */
  model?: string | null;
  /** The question; all texts together have at most 256 KiB. Give this, `messages` or `resource_id`. */
  prompt?: string | null;
  /** Id of a stored resource (`res_…`) with UTF-8 text. This bridge has no other natural key; alone, its text is the prompt; with `prompt`, it is put before it. */
  resource_id?: string | null;
  /** What the model shall keep to; goes before the conversation. Default: nothing. */
  system?: string | null;
  /** 0 (likeliest answer) to 2. Default: the model's own. */
  temperature?: number | null;
}

export interface ModelInferenceInputMessagesItem {
  /** What is said, as text. */
  content: string;
  /** Who speaks. */
  role: "system" | "user" | "assistant";
}

export interface ModelInferenceResult {
  cost_millipence: number;
  fits_schema: boolean | null;
  input_tokens: number;
  json: unknown;
  model: string;
  output_tokens: number;
  provider: string;
  schema_problems: string[];
  text: string;
  truncated: boolean;
}

export interface ModelPriceInput {
  /** The calls may wait for a batch: batch prices where the model has them. Default: false. */
  batch?: boolean;
  /** How many of `input_tokens` the provider reads from its prompt cache. Default: 0. Models without a price for cached input are charged in full. */
  cached_input_tokens?: number | null;
  /** Number of such calls, 1 to 1e9. Default: 1. */
  calls?: number | null;
  /** Only models with this text in their id, in any case (`llama-3.3-70b`). Default: all. */
  contains?: string | null;
  /** Pounds for one US dollar as decimal text (`0.7634`, at most six decimals): costs are then also given in GBP. Default: costs in US dollars only. */
  gbp_per_usd?: string | null;
  /** Include models whose provider has announced an end that is reached on the day of the call. Default: false. */
  include_ended?: boolean;
  /** Include models with price 0, which are mostly local or part of a subscription. Default: false. */
  include_zero?: boolean;
  /** Tokens of one request, 0 to 1e9. Default: 1,000. */
  input_tokens?: number | null;
  /** What the model is for; models for anything else are never listed. Default: chat; with `model` or `resource_id`, whatever the model of that name is for. */
  kind?: "chat" | "responses" | "completion" | "embedding" | "moderation" | "ocr" | "image" | "audio" | "video" | "rerank" | null;
  /** Most models to list, 1 to 50. Default: 10. */
  limit?: number | null;
  /** The most that the job may cost in USD for all calls, as decimal text; dearer models are left out. Default: no bound. */
  max_cost_usd?: string | null;
  /** Least size of the input window in tokens; models whose window is not known are left out. Default: no bound. */
  min_context?: number | null;
  /** Only models of this name: the id (`gemini/gemini-2.5-pro`) or its last part (`gemini-2.5-pro`, at every provider that uses this name), in any case. Default: all. */
  model?: string | null;
  /** Abilities that a model must be listed with. Default: none. */
  needs?: ("tools" | "vision" | "json_schema" | "reasoning" | "prompt_caching" | "audio_input" | "pdf_input" | "web_search")[];
  /** Tokens of one answer, thinking included. Default: 500; 0 for embedding. */
  output_tokens?: number | null;
  /** Only these providers, as the answers name them (`openai`, `groq`, `bedrock`), at most 50. Default: all. */
  providers?: string[] | null;
  /** Name of a model, as `model` takes it; alone it gives that model's prices at all its providers. Not the id of a stored resource. */
  resource_id?: string | null;
  /** Not these providers, at most 50. Default: none. */
  without_providers?: string[];
}

export interface ModelPriceResult {
  considered: number;
  eligible: number;
  gbp_per_usd: string | null;
  job: ModelPriceResultJob;
  left_out: ModelPriceResultLeftOut;
  models: ModelPriceResultModelsItem[];
}

export interface ModelPriceResultJob {
  batch: boolean;
  cached_input_tokens: number;
  calls: number;
  input_tokens: number;
  kind: "chat" | "responses" | "completion" | "embedding" | "moderation" | "ocr" | "image" | "audio" | "video" | "rerank";
  output_tokens: number;
}

export interface ModelPriceResultLeftOut {
  ability: number;
  context: number;
  ended: number;
  not_asked_for: number;
  output: number;
  too_dear: number;
  zero_price: number;
}

export interface ModelPriceResultModelsItem {
  abilities: ("tools" | "vision" | "json_schema" | "reasoning" | "prompt_caching" | "audio_input" | "pdf_input" | "web_search")[];
  batch_price: boolean;
  cached_input_usd_per_million: string | null;
  cost_gbp: string | null;
  cost_usd: string;
  ends: string | null;
  input_usd_per_million: string;
  max_input_tokens: number | null;
  max_output_tokens: number | null;
  model: string;
  output_usd_per_million: string;
  provider: string;
  rank: number;
  tier_above_tokens: number | null;
}

export interface PiiRedactionInput {
  /** What to put in the place of what was found. Default: replace. */
  mode?: "mask" | "replace" | "pseudonym";
  /** Id of a stored resource (`res_…`): text in UTF-8. Alone it means: this text, all types, mode replace. */
  resource_id?: string | null;
  /** The text, 100,000 bytes at most. Give this or `resource_id`. */
  text?: string | null;
  /** What to look for. Default: all types. */
  types?: ("email" | "iban" | "card" | "nhs_number" | "national_insurance" | "us_ssn" | "ip_address" | "date_of_birth" | "phone" | "name")[] | null;
}

export interface PiiRedactionResult {
  counts: Record<string, number>;
  spans: PiiRedactionResultSpansItem[];
  text: string;
}

export interface PiiRedactionResultSpansItem {
  end_byte: number;
  end_char: number;
  evidence: string;
  replacement: string;
  start_byte: number;
  start_char: number;
  type: "email" | "iban" | "card" | "nhs_number" | "national_insurance" | "us_ssn" | "ip_address" | "date_of_birth" | "phone" | "name";
}

export interface PriceOptimizationInput {
  /** Confidence of intervals, 0.5 to 0.999. Default: 0.95. */
  confidence?: number | null;
  /** What the new price must keep to. Default: the prices seen. */
  constraints?: PriceOptimizationInputConstraints;
  /** Names of controls whose effect is taken out first, at most ten: promotions, a rival's price, the weather. Default: all that the periods of `history` have; none of a CSV file, whose columns they are. */
  controls?: string[] | null;
  /** Today's price, above 0 and no farther from the prices of the history than half and twice. Default: the last of the history. */
  current_price?: number | null;
  /** Prices beyond those of the history may be recommended, from half of the least to twice the highest, if `constraints` allows them: the model is not known to hold there. Default: false. */
  extrapolate?: boolean;
  /** Periods of equal length in order of time, 8 to 5,000, each with its price and the units sold. Trend, season and controls need more of them: five and one for each that is taken out. Give this or `resource_id`. */
  history?: PriceOptimizationInputHistoryItem[] | null;
  /** What to make large. Default: profit where `unit_cost` is given, else revenue. */
  objective?: "profit" | "revenue" | null;
  /** Id of a stored resource (`res_…`): CSV with columns `price`, `quantity` and any `controls`, or a JSON array of the shape of `history`. This bridge has no other natural key; alone, it means: best revenue between the prices seen. */
  resource_id?: string | null;
  /** Rows of the table besides the current and the best price, 2 to 50. Default: 9. */
  scenarios?: number | null;
  /** Periods in one cycle of the seasons, 2 to 53 (12 for months, 7 for days): each place in the cycle gets a level of its own, which is taken out first. At least two cycles must be given. Default: no seasons. */
  season?: number | null;
  /** A steady growth or fall of demand over time is taken out first. Default: false; the answer tells the elasticity both ways. */
  trend?: boolean;
  /** Cost of one more unit, 0 to 1e12, in the currency of the prices. Default: 0. */
  unit_cost?: number | null;
}

export interface PriceOptimizationInputConstraints {
  /** Most units that can be sold in a period, above 0. Default: no bound. */
  capacity?: number | null;
  /** Farthest from today's price, in percent of it, 0 to 100. Default: no bound. */
  max_change_percent?: number | null;
  /** Least margin: price less unit cost in percent of the price, 0 to 99. Default: no bound. */
  min_margin_percent?: number | null;
  /** Least units expected in a period, above 0. Default: no bound. */
  min_quantity?: number | null;
  /** Highest price, above 0. Default: the highest of the history; higher ones count only with `extrapolate`. */
  price_max?: number | null;
  /** Least price, from 0. Default: the least of the history; lower ones count only with `extrapolate`. */
  price_min?: number | null;
  /** Prices are multiples of this, 1e-9 to 1e9. Default: 0.01, or a hundredth of the least price seen where that is less. */
  price_step?: number | null;
}

export interface PriceOptimizationInputHistoryItem {
  /** What else moved demand in this period, by name: 1 or 0 for a promotion, or any number that works on log units (a rival's price as its logarithm). The same names in every period, at most ten. Default: nothing. */
  controls?: Record<string, number>;
  /** Price of a unit, 1e-9 to 1e12. */
  price: number;
  /** Units sold, 1e-9 to 1e12 (a logarithm is taken: leave out periods without sales, or add them to their neighbours). */
  quantity: number;
}

export interface PriceOptimizationResult {
  bound_by: string[];
  current_price: number;
  decision: string;
  elasticity: PriceOptimizationResultElasticity;
  price: number | null;
  scenarios: PriceOptimizationResultScenariosItem[];
  uplift_percent: PriceOptimizationResultUpliftPercent | null;
}

export interface PriceOptimizationResultElasticity {
  estimate: number;
  high: number;
  low: number;
}

export interface PriceOptimizationResultScenariosItem {
  extrapolated: boolean;
  mark: string;
  price: number;
  profit: number;
  quantity: PriceOptimizationResultScenariosItemQuantity;
  revenue: number;
}

export interface PriceOptimizationResultScenariosItemQuantity {
  estimate: number;
  high: number;
  low: number;
}

export interface PriceOptimizationResultUpliftPercent {
  estimate: number;
  high: number;
  low: number;
}

export interface PromptTemplateInput {
  /** Names of variables to put into tags (`<name>…</name>`), so that a model tells them from instructions. Default: none. */
  delimit?: string[] | null;
  /** How far to shorten: none, whitespace, or full (white space, repeated sentences, filler). Default: full. */
  level?: "none" | "whitespace" | "full" | null;
  /** The template as messages, 1 to 50, together at most 65,536 bytes. Give this, `template` or `resource_id`. */
  messages?: PromptTemplateInputMessagesItem[] | null;
  /** Id of a stored template (`res_…`): text, or JSON of the shape of `messages`. Alone it is shortened and checked without rendering. */
  resource_id?: string | null;
  /** The template as one text, at most 65,536 bytes. Give this, `messages` or `resource_id`. */
  template?: string | null;
  /** Values by name: texts, numbers, booleans, lists and objects, at most 65,536 bytes of text, eight levels deep. Every variable needs one. Absent: no rendering. */
  variables?: Record<string, unknown> | null;
}

export interface PromptTemplateInputMessagesItem {
  /** What is said. */
  content: string;
  /** Who speaks. */
  role: "system" | "developer" | "user" | "assistant" | "tool";
}

export interface PromptTemplateResult {
  changes: PromptTemplateResultChangesItem[];
  changes_count: number;
  findings: PromptTemplateResultFindingsItem[];
  messages: PromptTemplateResultMessagesItem[] | null;
  optimised: PromptTemplateResultOptimisedItem[];
  prompt: string | null;
  rendered_size: PromptTemplateResultRenderedSize | null;
  template_size: PromptTemplateResultTemplateSize;
  variables: PromptTemplateResultVariables;
}

export interface PromptTemplateResultChangesItem {
  after: string;
  before: string;
  kind: string;
  line: number;
  message: number;
  reason: string;
}

export interface PromptTemplateResultFindingsItem {
  at: string;
  code: string;
  message: string;
  severity: "info" | "warning" | "high";
}

export interface PromptTemplateResultMessagesItem {
  content: string;
  role: "system" | "developer" | "user" | "assistant" | "tool";
}

export interface PromptTemplateResultOptimisedItem {
  content: string;
  role: "system" | "developer" | "user" | "assistant" | "tool";
}

export interface PromptTemplateResultRenderedSize {
  after: PromptTemplateResultRenderedSizeAfter;
  before: PromptTemplateResultRenderedSizeBefore;
}

export interface PromptTemplateResultRenderedSizeAfter {
  bytes: number;
  characters: number;
  tokens_estimate: number;
  words: number;
}

export interface PromptTemplateResultRenderedSizeBefore {
  bytes: number;
  characters: number;
  tokens_estimate: number;
  words: number;
}

export interface PromptTemplateResultTemplateSize {
  after: PromptTemplateResultTemplateSizeAfter;
  before: PromptTemplateResultTemplateSizeBefore;
}

export interface PromptTemplateResultTemplateSizeAfter {
  bytes: number;
  characters: number;
  tokens_estimate: number;
  words: number;
}

export interface PromptTemplateResultTemplateSizeBefore {
  bytes: number;
  characters: number;
  tokens_estimate: number;
  words: number;
}

export interface PromptTemplateResultVariables {
  missing: string[];
  needed: string[];
  unused: string[];
}

export interface ProofOfWorkInput {
  /** The body of the answer, byte for byte as it was received, at most 256 KiB: likewise. Default: not compared. */
  answer?: string | null;
  /** A proof document as `GET /v1/ledger/proof/{seal}` gives it: an object, or its JSON text; at most 256 KiB. Give this, `id`, or both. */
  document?: unknown;
  /** What the record must say: JSON pointers into the record and the values that must stand there, at most 50 (`{"/kind": "route", "/body/plugin": "tax_jar_lookup"}`). Default: nothing. */
  expect?: Record<string, unknown>;
  /** Seal of a record (`X-Worm-Seal`, 64 hexadecimal digits), or transaction id (`X-Transaction-Id`, `tx_` and 64 digits) of one that you are a party to. Give this, `resource_id` or `document`. */
  id?: string | null;
  /** With `document`: the record in canonical JSON text, so that the proof is tied to its content; at most 256 KiB. Default: the seal alone is proven. */
  record?: string | null;
  /** The body of the request that was paid for, byte for byte as it was sent, at most 256 KiB: its salted digest is compared with that in the record. Default: not compared. */
  request?: string | null;
  /** Seal or transaction id, as `id` takes it; alone it verifies that record. Not the id of a stored resource. */
  resource_id?: string | null;
}

export interface ProofOfWorkResult {
  answer_matches: boolean | null;
  expectations: ProofOfWorkResultExpectationsItem[];
  included: boolean;
  key: string | null;
  origin: string | null;
  proof: unknown;
  reason: string | null;
  record: unknown;
  record_checked: boolean;
  record_text: string | null;
  request_matches: boolean | null;
  seal: string | null;
  seq: number | null;
  tree_size: number | null;
  verified: boolean;
}

export interface ProofOfWorkResultExpectationsItem {
  expected: unknown;
  found: unknown;
  holds: boolean;
  path: string;
}

export interface SanctionsScreenInput {
  /** The list itself, at most 50,000 names. Default: the stored one that `resource_id` names, else the operator's. */
  list?: SanctionsScreenInputListItem[] | null;
  /** A name to screen, as the only subject; alone it is screened against the operator's list. Or the id of a stored list (`res_…`), at most 50,000 names, which goes with `subjects`: JSON of the shape of `list`, or CSV. Columns: id, name, aliases, births, countries, programme (several values apart by `;`); or those of the UK Sanctions List (Unique ID, Name 1 to Name 6, D.O.B, Nationality(/ies), Regime Name) or of OFAC's SDN.CSV. */
  resource_id?: string | null;
  /** Who to screen: 1 to 20. Default: the name that `resource_id` gives. */
  subjects?: SanctionsScreenInputSubjectsItem[];
  /** Least score of names to report, 0.7 to 1. Default: 0.85. */
  threshold?: number | null;
}

export interface SanctionsScreenInputListItem {
  /** Other names and spellings. Default: none. */
  aliases?: string[];
  /** Days or years of birth: `YYYY-MM-DD`, `DD/MM/YYYY`, `DD Mon YYYY` or `YYYY`. Default: not known. */
  births?: string[];
  /** Countries: nationality, birth or address, by name or code as the list has them. Default: not known. */
  countries?: string[];
  /** The list's own id. Default: none. */
  id?: string | null;
  /** The main name. */
  name: string;
  /** Programme or regime. Default: none. */
  programme?: string | null;
}

export interface SanctionsScreenInputSubjectsItem {
  /** Day or year of birth: `YYYY-MM-DD` or `YYYY`. Default: not known, so it speaks neither for nor against a match. */
  birth?: string | null;
  /** Countries, written as the list writes them, at most 20. Default: not known. */
  countries?: string[];
  /** The name, in any order, in Latin, Cyrillic, Greek or Arabic letters, or a Chinese one of two to four characters; at most 300 characters. */
  name: string;
}

export interface SanctionsScreenResult {
  entries: number;
  names: number;
  subjects: SanctionsScreenResultSubjectsItem[];
  threshold: number;
}

export interface SanctionsScreenResultSubjectsItem {
  matches: SanctionsScreenResultSubjectsItemMatchesItem[];
  matches_count: number;
  name: string;
  outcome: string;
}

export interface SanctionsScreenResultSubjectsItemMatchesItem {
  birth: "agrees" | "near" | "differs" | "unknown";
  country: "agrees" | "near" | "differs" | "unknown";
  id: string | null;
  matched: string;
  name: string;
  name_score: number;
  programme: string | null;
}

export interface SecurityScanInput {
  /** Files with their paths; at most 200 and 1 MiB in all. Give this, `source` or `resource_id`. */
  files?: SecurityScanInputFilesItem[] | null;
  /** Language of `source` or of the resource. Default: by `path`, else by the first line. */
  language?: "python" | "javascript" | "typescript" | "go" | "java" | "kotlin" | "ruby" | "php" | "rust" | "c" | "cpp" | "shell" | "dockerfile" | "workflow" | "yaml" | "terraform" | "package_json" | "requirements" | "cargo_toml" | "config" | "text" | null;
  /** Most findings to list, the most severe first to stay (1 to 500; default 200). */
  max_findings?: number | null;
  /** Path of `source` or of the resource, for its language and for the findings. Default: none. */
  path?: string | null;
  /** Id of a stored resource (`res_…`): a text file. This bridge has no other natural key; alone, it means: this file, language by its media type or first line, all rules. */
  resource_id?: string | null;
  /** Which rules to apply. Default: all. */
  rules?: SecurityScanInputRules;
  /** The least severity to report. Default: info. */
  severity_min?: "info" | "low" | "medium" | "high" | "critical" | null;
  /** The text of a single file. Give this, `files` or `resource_id`. */
  source?: string | null;
}

export interface SecurityScanInputFilesItem {
  /** Its text. */
  content: string;
  /** Its path; decides the language. */
  path: string;
}

export interface SecurityScanInputRules {
  /** Not these. Default: none. */
  exclude?: string[];
  /** Only these. Default: all. */
  include?: string[];
}

export interface SecurityScanResult {
  complete: boolean;
  files_scanned: number;
  findings: SecurityScanResultFindingsItem[];
  summary: SecurityScanResultSummary;
  suppressed: number;
}

export interface SecurityScanResultFindingsItem {
  column: number;
  confidence: "low" | "medium" | "high";
  cwe: string;
  excerpt: string;
  line: number;
  message: string;
  path: string;
  remedy: string;
  rule: string;
  severity: "info" | "low" | "medium" | "high" | "critical";
}

export interface SecurityScanResultSummary {
  critical: number;
  high: number;
  info: number;
  low: number;
  medium: number;
}

export interface SemanticCacheInput {
  /** put only: the answer to keep, 1 byte to 32 KiB. Give it with put alone. */
  answer?: string | null;
  /** get only: only exactly the same question. Default: false. */
  exact_only?: boolean;
  /** embed only: `auto` (the provider's choice; default), or the id of a provider's model. */
  model?: string | null;
  /** get, put, forget: answers of different namespaces never meet (model, language, user, …). Default: `default`. */
  namespace?: string | null;
  /** What to do. Default: embed. */
  op?: "embed" | "get" | "put" | "forget";
  /** Id of a stored resource (`res_…`) with UTF-8 text, at most 32 KiB. This bridge has no other natural key; alone it means: embed this text. */
  resource_id?: string | null;
  /** The text or question, 1 byte to 32 KiB. Give this or `resource_id`. */
  text?: string | null;
  /** get only: least cosine of the vectors of a near match, 0.5 to 1 (default 0.7). The words must agree all the same. */
  threshold?: number | null;
  /** put, and embed by a provider: seconds to keep, 60 to 2,592,000 (default 86,400). */
  ttl_s?: number | null;
}

export interface SemanticCacheResult {
  age_s: number | null;
  answer: string | null;
  cached: boolean;
  changed: boolean;
  embedding: number[] | null;
  matched: "exact" | "near" | null;
  model: string | null;
  op: "embed" | "get" | "put" | "forget";
  provider: string | null;
  similarity: number | null;
}

export interface SentimentFeedInput {
  /** The time that ages are counted back from; items after it are refused. Default: the newest `ts`. */
  as_of?: number | string | null;
  /** Which words are rated. Default: finance. */
  domain?: "finance" | "general" | "news";
  /** Hours after which an item counts half in the index (0.01 to 100,000). Every item then needs `ts`. Default: age does not matter. */
  half_life_hours?: number | null;
  /** The texts, 1 to 1,000, at most 500,000 bytes in all. Give this or `resource_id`. */
  items?: (string | SentimentFeedInputItemsItem)[] | null;
  /** An item whose compound is nearer to 0 than this is neutral (0 to 0.5; default 0.05, as VADER's authors have it, and in the domain `news` 0.1 below and 0.35 above 0). */
  neutral_band?: number | null;
  /** Id of a stored resource (`res_…`): JSON of the shape of `items` (or an object with that member), or plain text with one item in each line. Alone it means: all of its items, finance words, no decay. */
  resource_id?: string | null;
}

export interface SentimentFeedInputItemsItem {
  /** Comes back with the score, so that items can be told apart. Default: none. */
  id?: string | null;
  /** English, 1 to 10,000 bytes. */
  text: string;
  /** When it was said. Default: not known. */
  ts?: number | string | null;
  /** How much it counts in the index (above 0, to 1,000,000; default 1). */
  weight?: number | null;
}

export interface SentimentFeedResult {
  counts: SentimentFeedResultCounts;
  index: SentimentFeedResultIndex;
  items: SentimentFeedResultItemsItem[];
}

export interface SentimentFeedResultCounts {
  negative: number;
  neutral: number;
  positive: number;
  unrated: number;
}

export interface SentimentFeedResultIndex {
  as_of: string | null;
  ci95: SentimentFeedResultIndexCi95 | null;
  effective_n: number;
  n: number;
  value: number;
}

export interface SentimentFeedResultIndexCi95 {
  lower: number;
  upper: number;
}

export interface SentimentFeedResultItemsItem {
  compound: number;
  id?: string | null;
  index: number;
  label: string;
  negative: number;
  neutral: number;
  positive: number;
  weight: number;
  words: SentimentFeedResultItemsItemWordsItem[];
}

export interface SentimentFeedResultItemsItemWordsItem {
  list: string;
  value: number;
  word: string;
}

export interface SummarizationInput {
  /** Whose abbreviations do not end a sentence. Default: en. */
  language?: "de" | "en" | "es" | "fr" | "it" | "pt" | "ru" | "other";
  /** Most characters in the summary; sentences that do not fit are passed over. Default: no limit. */
  max_characters?: number | null;
  /** Most sentences in the summary (1 to 100; default 3). */
  max_sentences?: number | null;
  /** How sentences are ranked. Default: lexrank. */
  method?: "lexrank" | "textrank";
  /** What the summary should be about, a few words: sentences like it count more. Default: the text as a whole. */
  query?: string | null;
  /** 1: only rank counts; lower: what repeats a chosen sentence is passed over more (0 to 1; default 0.7). */
  relevance?: number | null;
  /** Id of a stored resource (`res_…`): plain text or Markdown in UTF-8. Alone it means: this text, three sentences. */
  resource_id?: string | null;
  /** The text, at most 500,000 bytes and 1,500 sentences. A blank line ends a paragraph, and with it a sentence; a single line break does not. Give this or `resource_id`. */
  text?: string | null;
}

export interface SummarizationResult {
  characters_total: number;
  ratio: number;
  sentences: SummarizationResultSentencesItem[];
  sentences_total: number;
  summary: string;
}

export interface SummarizationResultSentencesItem {
  end_byte: number;
  end_char: number;
  index: number;
  order: number;
  score: number;
  start_byte: number;
  start_char: number;
  text: string;
}

export interface TaxJarLookupInput {
  /** An amount in the country's currency as decimal text (`19.99`): the tax on it is worked out. Default: no tax is worked out. */
  amount?: string | null;
  /** The same in minor units (1999 pence). Give one of the two. Default: no tax is worked out. */
  amount_minor?: number | null;
  /** The country, as `resource_id` takes it. Give this or `resource_id`. */
  country?: string | null;
  /** The day (`YYYY-MM-DD`) to which the standard rate applies; the newest data unless given. History reaches back only as far as the data know it, and other kinds of rate have none. */
  date?: string | null;
  /** The amount includes the tax. False unless given. */
  inclusive?: boolean | null;
  /** For an amount: which rate, in percent, as decimal text (`5.5`). Needed where there are several of a kind; where none can be given as the rate, and in states of the US with local taxes, any rate is taken. Default: the only one of its kind. */
  rate_percent?: string | null;
  /** Only rates of this kind; for an amount, the kind to use (`standard` unless given). */
  rate_type?: "standard" | "reduced" | "super_reduced" | "parking" | null;
  /** State, province or territory, code or English name: of the US and Canada, and Ceuta (CE), Melilla (ML), Las Palmas (GC) and Tenerife (TF) in Spain. Default: the country as a whole. */
  region?: string | null;
  /** The place as one text, in any case: a country's ISO 3166 code or English name (`GB`, `GBR`, `United Kingdom`; also `UK`, `EL`, and `XI` for goods in Northern Ireland), or country and region (`US-CA`, `CA-ON`). Alone it lists all rates of that place. Not the id of a stored resource. */
  resource_id?: string | null;
}

export interface TaxJarLookupResult {
  combined: TaxJarLookupResultCombined | null;
  computed: TaxJarLookupResultComputed | null;
  country: string;
  country_name: string;
  currency: string;
  eu_member: boolean | null;
  local_tax_name: string | null;
  local_taxes: "none" | "vary" | null;
  rates: TaxJarLookupResultRatesItem[];
  region: string | null;
  region_name: string | null;
  regions: TaxJarLookupResultRegionsItem[];
  tax_name: string;
}

export interface TaxJarLookupResultCombined {
  complete: boolean;
  parts: TaxJarLookupResultCombinedPartsItem[];
  rate_percent: string;
}

export interface TaxJarLookupResultCombinedPartsItem {
  rate_percent: string;
  tax_name: string;
}

export interface TaxJarLookupResultComputed {
  gross: string;
  gross_minor: number;
  inclusive: boolean;
  net: string;
  net_minor: number;
  parts: TaxJarLookupResultComputedPartsItem[];
  rate_percent: string;
  rounding: string;
  tax: string;
  tax_minor: number;
}

export interface TaxJarLookupResultComputedPartsItem {
  rate_percent: string;
  tax: string;
  tax_name: string;
}

export interface TaxJarLookupResultRatesItem {
  agreement: "confirmed" | "single_source" | "disputed" | "no_single_rate" | "expired";
  as_of: string;
  basis: "national" | "state" | "combined";
  candidates: TaxJarLookupResultRatesItemCandidatesItem[];
  known_since: string | null;
  level: string;
  made_of: TaxJarLookupResultRatesItemMadeOfItem[];
  note: string | null;
  other_sources: TaxJarLookupResultRatesItemOtherSourcesItem[];
  rate_percent: string | null;
  source: string;
  tax_name: string;
  then_percent: string | null;
  type: "standard" | "reduced" | "super_reduced" | "parking";
  valid_until: string | null;
}

export interface TaxJarLookupResultRatesItemCandidatesItem {
  applies_to: string | null;
  as_of: string | null;
  rate_percent: string;
  source: string;
}

export interface TaxJarLookupResultRatesItemMadeOfItem {
  rate_percent: string;
  tax_name: string;
}

export interface TaxJarLookupResultRatesItemOtherSourcesItem {
  as_of: string | null;
  rate_percent: string;
  source: string;
}

export interface TaxJarLookupResultRegionsItem {
  agreement: "confirmed" | "single_source" | "disputed" | "no_single_rate" | "expired";
  basis: "national" | "state" | "combined";
  local_taxes: "none" | "vary" | null;
  name: string;
  rate_percent: string | null;
  region: string;
}

export interface TokenCountInput {
  /** The encoding to count in. Default: o200k_base. */
  encoding?: "o200k_base" | "cl100k_base" | null;
  /** A chat, at most 1,000 messages and 1 MiB together: with what OpenAI's chat format adds (3 tokens a message, 1 for a name, 3 for the answer to begin). Give one of the four. */
  messages?: TokenCountInputMessagesItem[] | null;
  /** Models to count for, at most 20 (`gpt-4o`, `claude-sonnet-4-5`): exact where the model's encoding is one of the two, else an estimate, flagged. Default: none. */
  models?: string[];
  /** Tokens that a model is expected to answer with, for the cost. Default: 0. */
  output_tokens?: number;
  /** Id of a stored resource (`res_…`) with UTF-8 text. This bridge has no other natural key; alone, it means: count this file in o200k_base. */
  resource_id?: string | null;
  /** A text, at most 1 MiB. Give one of `text`, `texts`, `messages` and `resource_id`. */
  text?: string | null;
  /** Texts, at most 1,000 and 1 MiB together; counted each. Give one of the four. */
  texts?: string[] | null;
  /** Also give the token ids of each text in `encoding`, the first 10,000 of all. Default: false. */
  with_ids?: boolean;
}

export interface TokenCountInputMessagesItem {
  /** What is said. */
  content: string;
  /** Who of several with this role speaks. Default: nobody. */
  name?: string | null;
  /** Who speaks: system, user, assistant, … */
  role: string;
}

export interface TokenCountResult {
  encoding: "o200k_base" | "cl100k_base";
  models: TokenCountResultModelsItem[];
  overhead: number;
  texts: TokenCountResultTextsItem[];
  tokens: number;
}

export interface TokenCountResultModelsItem {
  encoding: "o200k_base" | "cl100k_base";
  exact: boolean;
  input_usd: string | null;
  model: string;
  output_usd: string | null;
  provider: string | null;
  tokens: number;
  total_usd: string | null;
}

export interface TokenCountResultTextsItem {
  bytes: number;
  characters: number;
  ids: number[] | null;
  tokens: number;
}

export interface TranslationInput {
  /** Terms and what they must be in the translation, at most 200. Default: none. */
  glossary?: TranslationInputGlossaryItem[];
  /** Names and terms that must stay as they are, at most 200. Default: none. */
  keep?: string[];
  /** A model's id; default `auto`, the host's choice. */
  model?: string | null;
  /** Id of a stored resource (`res_…`) with UTF-8 text, at most 32 KiB. This bridge has no other natural key; alone it means: translate this text into English. */
  resource_id?: string | null;
  /** Language of the text, likewise; the model tells by itself unless given. */
  source?: string | null;
  /** Language of the translation: a code (`de`, `pt-BR`) or English name. Default: en. */
  target?: string | null;
  /** The text, at most 32 KiB. Give this or `resource_id`. */
  text?: string | null;
}

export interface TranslationInputGlossaryItem {
  /** As it stands in the text; case does not matter. */
  term: string;
  /** What must stand in the translation. */
  translation: string;
}

export interface TranslationResult {
  attempts: number;
  checks: TranslationResultChecksItem[];
  cost_millipence: number;
  input_tokens: number;
  model: string;
  output_tokens: number;
  passed: boolean;
  provider: string;
  target: string;
  translation: string;
}

export interface TranslationResultChecksItem {
  added: string[];
  missing: string[];
  name: string;
  passed: boolean;
}

export interface ValidationInput {
  /** Does `format` in the schema assert? As the draft has it, it does not unless asked. Default: false. */
  assert_formats?: boolean;
  /** Statements about places in the output, at most 1,000. Default: none. */
  assertions?: ValidationInputAssertionsItem[];
  /** What the output is. `json`: a text is parsed first, and what is not JSON is a finding. `text`: it is checked as text. Absent: `output` as it stands, a resource by its media type. */
  content?: "json" | "text" | null;
  /** How many findings to list at most, 1 to 500; 100 unless given. */
  max_errors?: number | null;
  /** The output to check: any JSON, or a text. Give this or `resource_id`. */
  output?: unknown;
  /** Id of a stored resource whose bytes are the output to check: JSON or text by its media type (else JSON if it parses). Alone it only checks that JSON parses, or that text is UTF-8. */
  resource_id?: string | null;
  /** A JSON Schema, draft 2020-12: an object, true or false. Nothing is fetched: what it refers to must be in it, or in `schemas`. Patterns are matched in linear time, so without lookaround and backreferences. Default: none. */
  schema?: unknown;
  /** Schemas that `$ref` in `schema`, or in one of these, may name: each under its absolute URI, without a fragment. At most 50, and 256 KiB with `schema`. A meta-schema that `$schema` names may be one of them: its `$vocabulary` then says which keywords have a meaning. Default: none. */
  schemas?: Record<string, unknown>;
}

export interface ValidationInputAssertionsItem {
  /** For `unique` and `sum_equals`: JSON pointer inside each item. Default: the items themselves. */
  each?: string | null;
  /** What to say if it does not hold; else a message is made. */
  message?: string | null;
  /** What is stated about it. */
  op: "equals" | "not_equals" | "exists" | "absent" | "type" | "gt" | "gte" | "lt" | "lte" | "length_min" | "length_max" | "contains" | "not_contains" | "matches" | "one_of" | "format" | "unique" | "sum_equals";
  /** JSON pointer of the value (`/items/0/price`); empty or absent for the output as a whole. */
  path?: string;
  /** With what; see the operator. Default: none; most operators need one. */
  value?: unknown;
}

export interface ValidationResult {
  checked: ValidationResultChecked;
  errors: ValidationResultErrorsItem[];
  truncated: boolean;
  valid: boolean;
}

export interface ValidationResultChecked {
  assertions: number;
  content: "json" | "text";
  formats: boolean;
  schema: boolean;
}

export interface ValidationResultErrorsItem {
  actual?: unknown;
  assertion?: number | null;
  expected?: unknown;
  keyword: string;
  message: string;
  path: string;
  schema_path?: string | null;
  schema_uri?: string | null;
}

export interface VatNumberCheckInput {
  /** The country, needed where the number does not begin with its letters: ISO 3166-1 alpha-2 code, also EL, UK, XI (Northern Ireland) and XK. Default: by the first letters. */
  country?: string | null;
  /** The VAT number with the letters of its country (`DE136695976`); alone it is checked. Not the id of a stored resource. */
  resource_id?: string | null;
  /** The VAT number in any written form; spaces, full stops, hyphens, slashes and brackets are taken away. At most 60 bytes. Give this or `resource_id`. */
  vat_number?: string | null;
}

export interface VatNumberCheckResult {
  check_digits: "passed" | "failed" | "no_rule" | "not_checked";
  country: string;
  country_name: string;
  eu_member: boolean;
  expected_format: string;
  faults: VatNumberCheckResultFaultsItem[];
  format_ok: boolean;
  national_number: string;
  register: VatNumberCheckResultRegister | null;
  rule: string | null;
  valid: boolean;
  vat_number: string;
  vies: string;
  vies_available: boolean;
}

export interface VatNumberCheckResultFaultsItem {
  code: string;
  message: string;
}

export interface VatNumberCheckResultRegister {
  name: string;
  number: string;
}

export interface AnalyticsAnomalyDetectionAgentInput {
  /** Only values above (`high`) or below (`low`) the usual. Default: both. */
  direction?: "high" | "low" | null;
  /** What to report: `points`, `levels` or `all`. Default: all. */
  find?: "points" | "levels" | "all" | null;
  /** Names of the values, as many: dates, names. */
  labels?: string[] | null;
  /** The caller's own limits, in place of the statistical judgement. */
  limits?: AnalyticsAnomalyDetectionAgentInputLimits | null;
  /** Points in one cycle. Default: detected. */
  period?: number | null;
  /** How much to report: `low`, `normal` or `high`. Default: normal. */
  sensitivity?: "low" | "normal" | "high" | null;
  /** Several series instead of `values`, at most 20. */
  series?: AnalyticsAnomalyDetectionAgentInputSeriesItem[] | null;
  /** The values of one series in order of time, 3 to 20,000. */
  values?: number[] | null;
}

export interface AnalyticsAnomalyDetectionAgentInputLimits {
  /** Values farther than this many standard deviations from the mean are reported. */
  deviations?: number | null;
  /** Values below this are reported. */
  lower?: number | null;
  /** Values farther than this many percent from the median are reported. */
  percent_of_median?: number | null;
  /** Values outside Tukey's fences are reported: the quartiles, less or plus this many interquartile ranges. */
  quartile_ranges?: number | null;
  /** Values that differ from the value before by more than this are reported. */
  step?: number | null;
  /** Values that differ from the value before by more than this many percent are reported. */
  step_percent?: number | null;
  /** Values above this are reported. */
  upper?: number | null;
}

export interface AnalyticsAnomalyDetectionAgentInputSeriesItem {
  /** Names of the values, as many. */
  labels?: string[];
  /** Its name. */
  name?: string | null;
  /** The values in order of time. */
  values: number[];
}

export interface AnalyticsAnomalyDetectionAgentOutput {
  /** Points that stand out, by series and position; at most 500 of each series. */
  anomalies: AnalyticsAnomalyDetectionAgentOutputAnomaliesItem[];
  /** The series that were examined. */
  based_on: AnalyticsAnomalyDetectionAgentOutputBasedOnItem[];
  /** Positions from which a series runs on another level, at most 5 of each series. */
  level_changes: AnalyticsAnomalyDetectionAgentOutputLevelChangesItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** How the points were judged. */
  method: string;
  /** The answer in words. */
  summary: string;
}

export interface AnalyticsAnomalyDetectionAgentOutputAnomaliesItem {
  /** The value that would be usual there. */
  expected: number;
  /** The same in words. */
  explanation: string;
  /** Its position in the series, from 0. */
  index: number;
  /** Its label as written, if it has one. */
  label: string | null;
  /** Its distance, in the unit of the method (mostly robust standard deviations); 0 for limits of the caller. */
  score: number;
  /** The series, if there are several. */
  series: string | null;
  /** Its value. */
  value: number;
}

export interface AnalyticsAnomalyDetectionAgentOutputBasedOnItem {
  /** Number of its values. */
  count: number;
  /** The highest value. */
  highest: number;
  /** The lowest value. */
  least: number;
  /** The median. */
  median: number;
  /** Its name, if it has one. */
  series: string | null;
}

export interface AnalyticsAnomalyDetectionAgentOutputLevelChangesItem {
  /** Median of the stretch after. */
  after: number;
  /** Median of the stretch before. */
  before: number;
  /** Place of the first point of the new level, from 0. */
  index: number;
  /** Its label, if it has one. */
  label: string | null;
  /** Their difference in robust standard deviations within the stretches. */
  score: number;
  /** The series, where there are several. */
  series: string | null;
}

export interface AnalyticsForecastAgentInput {
  /** Distance between two values: `hour`, `day`, `working day`, `week`, `month`, `quarter` or `year`. */
  frequency?: string | null;
  /** Label of the first step that is listed. Default: the one after the last value. */
  from?: string | null;
  /** Steps to forecast, 1 to 400, and at most as many as there are values. Default: one cycle or 8; 1 for a task in words. */
  horizon?: number | null;
  /** Values to leave out, by label or by position from 1 (`"3"`); they are filled in from their neighbours. An empty list keeps a value that is far from all others. */
  ignore?: string[] | null;
  /** Labels of the values, as many: `2024-01`, `Q1 2024`, `Mon`. Without them the steps have no label. */
  labels?: string[] | null;
  /** Values above this cannot occur. */
  maximum?: number | null;
  /** Values below this cannot occur; 0 for counts. */
  minimum?: number | null;
  /** Points in one cycle (12 for months of a year), 1 for no season. Default: detected. */
  period?: number | null;
  /** The same as `values`. */
  series?: (number | null)[] | null;
  /** Several series in place of `values`, at most 20; `horizon` and the other members apply to each. */
  several?: AnalyticsForecastAgentInputSeveralItem[] | null;
  /** Label of the first value, with `frequency`, in place of `labels`: `2023-05`. */
  start?: string | null;
  /** A value to reach: `reached` is the first step at or beyond it, and an error if there is none. */
  target?: number | null;
  /** Periods to sum: `all` for all listed steps, or a label such as `Q3 2024` or `2024`; past values of that period are included. */
  totals?: string[] | null;
  /** Label of the last step, in place of `horizon`: `2024-12`, `Q4 2024`, `December`, `2025` (its last step). */
  until?: string | null;
  /** The values in order of time, evenly spaced, 4 to 10,000; null for a missing value. */
  values?: (number | null)[] | null;
}

export interface AnalyticsForecastAgentInputSeveralItem {
  /** Labels of the values, as many. Default: those of the input. */
  labels?: string[];
  /** Its name. */
  name?: string | null;
  /** The values in order of time; null for a missing value. */
  values: (number | null)[];
}

export interface AnalyticsForecastAgentOutput {
  /** Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null if the series is too short to test. */
  backtest_mase: number | null;
  /** The series as it was used. */
  based_on: AnalyticsForecastAgentOutputBasedOn;
  /** Where the series goes from the last value to the last step: `up`, `down`, or `flat` for less than 2 %. */
  direction: string;
  /** The steps ahead, in order. */
  forecast: AnalyticsForecastAgentOutputForecastItem[];
  /** The distance between two values: hour, day, week, month, quarter or year; null if nothing states it. */
  frequency: string | null;
  /** The last value. */
  last_value: number;
  /** What the answer does not cover. */
  limitations: string[];
  /** The method. */
  method: string;
  /** The forecasts of the other series, in order. */
  others: AnalyticsForecastAgentOutputOthersItem[];
  /** Points in one cycle; 1 if there is no season. */
  period: number;
  /** The first step at which the requested value is reached. */
  reached: AnalyticsForecastAgentOutputReached | null;
  /** The answer in words. */
  summary: string;
  /** The requested totals. */
  totals: AnalyticsForecastAgentOutputTotalsItem[];
  /** Unusual points of the past, which may bend the forecast. */
  unusual: AnalyticsForecastAgentOutputUnusualItem[];
}

export interface AnalyticsForecastAgentOutputBasedOn {
  /** Values that were filled in or left out, in words. */
  changed: string[];
  /** Their labels, if they have any. */
  labels: string[];
  /** The name of the series, if it has one. */
  series: string | null;
  /** The values in order of time. */
  values: number[];
}

export interface AnalyticsForecastAgentOutputForecastItem {
  /** Upper end of the 95 % range. */
  high: number;
  /** Its label, in the style of the series; null if the series has no labels. */
  label: string | null;
  /** Lower end of the 95 % range. */
  low: number;
  /** Steps after the last value, from 1. */
  step: number;
  /** The expected value. */
  value: number;
}

export interface AnalyticsForecastAgentOutputOthersItem {
  /** Mean absolute scaled error in the back-test: below 1 is better than the simplest forecast; null if the series is too short to test. */
  backtest_mase: number | null;
  /** The series as it was used. */
  based_on: AnalyticsForecastAgentOutputOthersItemBasedOn;
  /** Where the series goes from the last value to the last step: `up`, `down`, or `flat` for less than 2 %. */
  direction: string;
  /** The steps ahead, in order. */
  forecast: AnalyticsForecastAgentOutputOthersItemForecastItem[];
  /** The distance between two values: hour, day, week, month, quarter or year; null if nothing states it. */
  frequency: string | null;
  /** The last value. */
  last_value: number;
  /** The method. */
  method: string;
  /** Points in one cycle; 1 if there is no season. */
  period: number;
  /** The first step at which the requested value is reached. */
  reached: AnalyticsForecastAgentOutputOthersItemReached | null;
  /** The requested totals. */
  totals: AnalyticsForecastAgentOutputOthersItemTotalsItem[];
  /** Unusual points of the past, which may bend the forecast. */
  unusual: AnalyticsForecastAgentOutputOthersItemUnusualItem[];
}

export interface AnalyticsForecastAgentOutputOthersItemBasedOn {
  /** Values that were filled in or left out, in words. */
  changed: string[];
  /** Their labels, if they have any. */
  labels: string[];
  /** The name of the series, if it has one. */
  series: string | null;
  /** The values in order of time. */
  values: number[];
}

export interface AnalyticsForecastAgentOutputOthersItemForecastItem {
  /** Upper end of the 95 % range. */
  high: number;
  /** Its label, in the style of the series; null if the series has no labels. */
  label: string | null;
  /** Lower end of the 95 % range. */
  low: number;
  /** Steps after the last value, from 1. */
  step: number;
  /** The expected value. */
  value: number;
}

export interface AnalyticsForecastAgentOutputOthersItemReached {
  /** The label of that step. */
  label: string | null;
  /** The first step at or beyond it. */
  step: number;
  /** The value to reach. */
  target: number;
  /** The expected value there. */
  value: number;
}

export interface AnalyticsForecastAgentOutputOthersItemTotalsItem {
  /** The part of it that is past. */
  actual: number;
  /** The period that is summed, as requested. */
  label: string;
  /** Steps ahead in it. */
  steps: number;
  /** The sum. */
  value: number;
}

export interface AnalyticsForecastAgentOutputOthersItemUnusualItem {
  /** The value that would be usual there. */
  expected: number;
  /** Its position, from 0. */
  index: number;
  /** Its label, if it has one. */
  label: string | null;
  /** Its value. */
  value: number;
}

export interface AnalyticsForecastAgentOutputReached {
  /** The label of that step. */
  label: string | null;
  /** The first step at or beyond it. */
  step: number;
  /** The value to reach. */
  target: number;
  /** The expected value there. */
  value: number;
}

export interface AnalyticsForecastAgentOutputTotalsItem {
  /** The part of it that is past. */
  actual: number;
  /** The period that is summed, as requested. */
  label: string;
  /** Steps ahead in it. */
  steps: number;
  /** The sum. */
  value: number;
}

export interface AnalyticsForecastAgentOutputUnusualItem {
  /** The value that would be usual there. */
  expected: number;
  /** Its position, from 0. */
  index: number;
  /** Its label, if it has one. */
  label: string | null;
  /** Its value. */
  value: number;
}

export interface ClassificationAgentInput {
  /** Whether the first label whose rule fits is taken. Default: a text that fits two rules is an error. */
  first_match?: boolean | null;
  /** The labels, 2 to 50; one is enough if it has a rule. */
  labels?: ClassificationAgentInputLabelsItem[] | null;
  /** What rules with numbers compare. Default: the only number of the text. */
  measure?: "number" | "words" | "characters" | "days" | null;
  /** A best score of the bridge below this gives no label, 0 to 1. Default: 0. */
  min_score?: number | null;
  /** The texts, 1 to 200. Default: the lines of the task. */
  texts?: string[] | null;
  /** The date of today, for the measure `days`: `2024-03-04`. */
  today?: string | null;
  /** The numbers that rules compare, one for each text, instead of a measure. */
  values?: number[] | null;
}

export interface ClassificationAgentInputLabelsItem {
  /** What belongs here, in words that such texts use. */
  description?: string | null;
  /** Texts that belong here, at most 200. */
  examples?: string[];
  /** Its name, unique. */
  name: string;
  /** When a text gets this label. If one label has a rule, all need one. */
  rule?: ClassificationAgentInputLabelsItemRule | null;
}

export interface ClassificationAgentInputLabelsItemRule {
  /** The number is more than this. */
  above?: number | null;
  /** The number is this or more. */
  at_least?: number | null;
  /** The number is this or less. */
  at_most?: number | null;
  /** The number is less than this. */
  below?: number | null;
  /** The text ends with one of these. */
  ends?: string[];
  /** The text fits no other rule. */
  otherwise?: boolean;
  /** A regular expression that the text matches. */
  pattern?: string | null;
  /** The text begins with one of these. */
  starts?: string[];
  /** The text has one of these words or phrases; case and accents do not matter. */
  words?: string[];
}

export interface ClassificationAgentOutput {
  /** What the labels rest on: `rules`, `words and meaning`, `words`, or `model`. */
  labels_from: string;
  /** What the answer does not cover. */
  limitations: string[];
  /** The result in words. */
  summary: string;
  /** The texts, in order. */
  texts: ClassificationAgentOutputTextsItem[];
}

export interface ClassificationAgentOutputTextsItem {
  /** Words of the text that point to the label. */
  because_of: string[];
  /** The share of right labels among texts with a choice as clear as this one, measured on texts of other callers; only where meaning was compared. */
  confidence?: number | null;
  /** The label; null if none is certain enough. */
  label: string | null;
  /** Its language, ISO 639-1, if it was detected. */
  language: string | null;
  /** Why there is no label. */
  reason?: string | null;
  /** The scores of the bridge, best first. */
  scores: ClassificationAgentOutputTextsItemScoresItem[];
  /** Its beginning, at most 80 characters. */
  text: string;
}

export interface ClassificationAgentOutputTextsItemScoresItem {
  /** The label. */
  label: string;
  /** A probability or a cosine, by the method of the bridge. */
  score: number;
}

export interface CodeReviewAgentInput {
  /** A unified diff (`git diff`) instead: only added lines are reviewed. */
  diff?: string | null;
  /** Whether the code is known to have a fault: a review without one is then refused. Default: false. */
  fault?: boolean | null;
  /** Files with their paths, at most 200 and 1 MiB in all. The task's own code or diff unless given. */
  files?: CodeReviewAgentInputFilesItem[] | null;
  /** Only remarks of these kinds. Default: all, without matters of taste. */
  focus?: ("security" | "defects" | "unused" | "style" | "complexity")[] | null;
}

export interface CodeReviewAgentInputFilesItem {
  /** Its text. */
  content: string;
  /** Its path, whose ending tells the language. */
  path: string;
}

export interface CodeReviewAgentOutput {
  /** What the answer does not cover. */
  limitations: string[];
  /** What was looked for; a clean review means only that none of it was found. */
  looked_for: string[];
  /** Size of the reviewed code. */
  measures: CodeReviewAgentOutputMeasures;
  /** All remarks, the gravest first. */
  remarks: CodeReviewAgentOutputRemarksItem[];
  /** The result in words. */
  summary: string;
  /** `blocked` by a remark of severity high or above, `remarks`, or `clean`. */
  verdict: string;
}

export interface CodeReviewAgentOutputMeasures {
  /** Lines with code. */
  code_lines: number;
  /** Share of the code in duplicates, 0 to 1. */
  duplicated_share: number;
  /** Files. */
  files: number;
  /** Functions. */
  functions: number;
  /** The highest cyclomatic complexity of a function. */
  most_cyclomatic: number;
}

export interface CodeReviewAgentOutputRemarksItem {
  /** What it is about. */
  kind: "security" | "defect" | "performance" | "complexity" | "unused" | "duplicate" | "style";
  /** The line, from 1; in a diff the line of the new file. */
  line: number;
  /** What is wrong. */
  message: string;
  /** The file. */
  path: string;
  /** The line as written; empty for a secret. */
  quote: string;
  /** What to do. */
  remedy: string;
  /** The rule or measure behind it. */
  rule: string;
  /** critical, high, medium, low or info. */
  severity: "critical" | "high" | "medium" | "low" | "info";
}

export interface CodingAgentInput {
  /** Existing code that `description` wants to be changed. */
  code?: string | null;
  /** What to write, in words. The task unless given. */
  description?: string | null;
  /** What calls should give, at most 20. */
  examples?: CodingAgentInputExamplesItem[] | null;
  /** The result of `function` as arithmetic of `parameters`: `c * 9 / 5 + 32`. Needs no model in Python, JavaScript, TypeScript, Ruby and Lua. */
  formula?: string | null;
  /** Name of the function that the code must define. */
  function?: string | null;
  /** The language. Default: Python. */
  language?: "python" | "javascript" | "typescript" | "rust" | "go" | "java" | "c" | "cpp" | "csharp" | "kotlin" | "php" | "ruby" | "swift" | "lua" | "sql" | "bash" | "r" | "perl" | "dart" | "scala" | "powershell" | null;
  /** Names of its parameters, in order. */
  parameters?: string[] | null;
}

export interface CodingAgentInputExamplesItem {
  /** The call as code: `add(1, 2)`. */
  call: string;
  /** Its result: `3`. */
  gives: string;
}

export interface CodingAgentOutput {
  /** The code. */
  code: string;
  /** The examples, each against the functions: name and number of arguments. */
  examples: CodingAgentOutputExamplesItem[];
  /** What the check of the form covers. */
  form_check: string;
  /** The functions in it. */
  functions: CodingAgentOutputFunctionsItem[];
  /** Its language. */
  language: "python" | "javascript" | "typescript" | "rust" | "go" | "java" | "c" | "cpp" | "csharp" | "kotlin" | "php" | "ruby" | "swift" | "lua" | "sql" | "bash" | "r" | "perl" | "dart" | "scala" | "powershell";
  /** What the answer does not cover. */
  limitations: string[];
  /** The model that wrote it; `rules` if the request states a formula. */
  model: string;
  /** Whether the check of the form found no mistake; code with one is not given. */
  parses: boolean;
  /** The result in words. */
  summary: string;
}

export interface CodingAgentOutputExamplesItem {
  /** The call. */
  call: string;
  /** Whether the code has such a function with so many parameters. */
  fits: boolean;
  /** Why, or why not. */
  reason: string;
}

export interface CodingAgentOutputFunctionsItem {
  /** Cyclomatic complexity: 1 and one for each decision. */
  cyclomatic: number;
  /** Its first line, from 1. */
  line: number;
  /** Its name. */
  name: string;
  /** How many parameters it has. */
  parameters: number;
}

export interface ComplianceAuditAgentInput {
  /** Whether a label without a value, or with a blank line to fill in, counts as present. Default: false. */
  accept_blank?: boolean | null;
  /** What to look for, at most 40 items: `IBAN`, `valid VAT number`, `e-mail address`, a text in quotation marks, a label with a value. Items that need meaning need a model. Default, if nothing else is asked: personal data, tax numbers, accounts and sanctions. */
  checklist?: string[] | null;
  /** One document instead, as its text. */
  document?: string | null;
  /** The documents, at most 20 and 90,000 bytes in all. The task's own text unless given. */
  documents?: ComplianceAuditAgentInputDocumentsItem[] | null;
  /** Labels that the documents must have, at most 40; decided by the labels alone. */
  labels?: string[] | null;
  /** Persons and companies to look for on the list, at most 20. */
  parties?: string[] | null;
  /** Texts that the documents must contain word for word, at most 40. */
  phrases?: string[] | null;
  /** Personal data to replace; the documents are returned without them. */
  redact?: ComplianceAuditAgentInputRedact | null;
  /** The sanctions list: objects with `name` and, if wanted, `aliases`, `births`, `countries`. None is included. */
  sanctions_list?: Record<string, unknown>[] | null;
}

export interface ComplianceAuditAgentInputDocumentsItem {
  /** Its name. */
  name: string;
  /** Its text. */
  text: string;
}

export interface ComplianceAuditAgentInputRedact {
  /** The replacement: `replace` (`[EMAIL]`, the default), `mask` (`*` for each letter and digit) or `pseudonym` (`[EMAIL_1]`). */
  mode?: "replace" | "mask" | "pseudonym" | null;
  /** Kinds of personal data. Default: all of them. */
  types?: ("email" | "iban" | "card" | "nhs_number" | "national_insurance" | "us_ssn" | "ip_address" | "date_of_birth" | "phone" | "name")[] | null;
}

export interface ComplianceAuditAgentOutput {
  /** Every item of the checklist. */
  items: ComplianceAuditAgentOutputItemsItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** Items that need attention. */
  open: number;
  /** The documents without the personal data, if redaction was requested. */
  redacted?: ComplianceAuditAgentOutputRedactedItem[] | null;
  /** The result in words. */
  summary: string;
}

export interface ComplianceAuditAgentOutputItemsItem {
  /** Words of the documents that show it. */
  evidence: string[];
  /** The same in words. */
  message: string;
  /** What was looked for. */
  name: string;
  /** Whether the documents have it; null if the item is not of that kind. */
  present: boolean | null;
  /** Its result. */
  status: "in_order" | "look" | "fails" | "missing" | "not_applicable" | "not_checked";
}

export interface ComplianceAuditAgentOutputRedactedItem {
  /** Its name. */
  name: string;
  /** Its text. */
  text: string;
}

export interface DataAggregationAgentInput {
  /** Columns of the resulting rows. Default: all. */
  columns?: string[] | null;
  /** Compares the two tables by these key columns: rows that are missing, added or different. */
  compare?: string[] | null;
  /** Leaves out repeated rows. */
  deduplicate?: DataAggregationAgentInputDeduplicate | null;
  /** Figures of each group, and of all rows. Default: the number of rows. */
  figures?: DataAggregationAgentInputFiguresItem[] | null;
  /** Columns to group by; `year of`, `quarter of`, `month of`, `week of` or `weekday of` and a column of dates, such as `month of ordered`. Default: one group of all rows. */
  group_by?: string[] | null;
  /** Puts the two tables side by side. */
  join?: DataAggregationAgentInputJoin | null;
  /** Column that names a record: rows with the same value there are one record. Default: `id` if it exists and only `tables` and `group_by` are given. */
  key?: string | null;
  /** How numbers and dates are written, if the cells do not show it. */
  notation?: DataAggregationAgentInputNotation | null;
  /** A row for each value of one column and a column for each value of another, with the first of `figures`. */
  pivot?: DataAggregationAgentInputPivot | null;
  /** Order of the rows or groups. Default: rows as given, groups by their names. */
  sort?: DataAggregationAgentInputSortItem[] | null;
  /** The tables, at most 20. Default: the tables of the task. */
  tables?: DataAggregationAgentInputTablesItem[] | null;
  /** Keeps so many rows or groups from the first, and those that equal the last one kept. */
  top?: number | null;
  /** Conditions that rows must meet, all of them. */
  where?: DataAggregationAgentInputWhereItem[] | null;
}

export interface DataAggregationAgentInputDeduplicate {
  /** Columns that are equal in repeated rows. Default: all. */
  by?: string[] | null;
  /** Which row stays: `first`, `last`, or the one with the `highest` (newest) or `lowest` value of `of`. Default: first. */
  keep?: "first" | "last" | "highest" | "lowest" | null;
  /** The column of `highest` and `lowest`. */
  of?: string | null;
}

export interface DataAggregationAgentInputFiguresItem {
  /** What is computed. */
  measure: "sum" | "mean" | "median" | "min" | "max" | "count" | "distinct" | "share" | "ratio" | "percentage" | "only";
  /** Its name in the answer. Default: such as `sum of amount`. */
  name?: string | null;
  /** A column, or a formula over columns such as `qty * price` that is computed in each row. `count` and `share` count rows without it. */
  of?: string | null;
  /** The divisor of `ratio` and `percentage`: a column or formula. */
  over?: string | null;
  /** Adds so many percent to the figure, such as 19 for VAT. */
  plus_percent?: number | null;
  /** Conditions on the rows of this figure alone, besides those of all. */
  where?: DataAggregationAgentInputFiguresItemWhereItem[] | null;
}

export interface DataAggregationAgentInputFiguresItemWhereItem {
  /** A column; a formula over columns such as `qty * price`; or `year of`, `quarter of`, `month of`, `week of` or `weekday of` and a column of dates. */
  column: string;
  /** The comparison. Case does not matter in texts. A cell without a value meets only `empty`, `!=`, `none_of` and `not_contains`. */
  is: "=" | "!=" | "<" | "<=" | ">" | ">=" | "between" | "not_between" | "one_of" | "none_of" | "contains" | "not_contains" | "starts_with" | "ends_with" | "empty" | "not_empty";
  /** A column or formula to compare with, in place of `value`. */
  other?: string | null;
  /** The value to compare with. */
  value?: string | number | null;
  /** The values of `one_of` and `none_of`, or the two bounds of `between` and `not_between`, which belong to the range. */
  values?: (string | number)[] | null;
}

export interface DataAggregationAgentInputJoin {
  /** Rows to keep: `inner` (with a partner), `left` (all of the first table), `full` (all). Default: inner. */
  kind?: "inner" | "left" | "full" | null;
  /** The key column of the first table. */
  on: string;
  /** The key column of the second table. Default: the same name. */
  with?: string | null;
}

export interface DataAggregationAgentInputNotation {
  /** Whether `01/02/2024` is in February (`day_first`) or in January (`month_first`). Default: as the cells show; an error if they can mean both. */
  dates?: "day_first" | "month_first" | null;
  /** The decimal sign, `point` or `comma`. Default: as the cells show; an error if they can mean both. */
  decimal?: "point" | "comma" | null;
}

export interface DataAggregationAgentInputPivot {
  /** The column, or part of a date, of the columns. */
  columns: string;
  /** The column, or part of a date, of the rows. */
  rows: string;
}

export interface DataAggregationAgentInputSortItem {
  /** A column of the result, or the name of a figure such as `sum of amount`. */
  by: string;
  /** Highest first. Default: lowest first. */
  descending?: boolean;
}

export interface DataAggregationAgentInputTablesItem {
  /** CSV with a header, Markdown, or a JSON array of objects. */
  data?: string | null;
  /** Its name. Default: `table 1` and so on. */
  name?: string | null;
  /** JSON objects instead. */
  rows?: Record<string, unknown>[] | null;
}

export interface DataAggregationAgentInputWhereItem {
  /** A column; a formula over columns such as `qty * price`; or `year of`, `quarter of`, `month of`, `week of` or `weekday of` and a column of dates. */
  column: string;
  /** The comparison. Case does not matter in texts. A cell without a value meets only `empty`, `!=`, `none_of` and `not_contains`. */
  is: "=" | "!=" | "<" | "<=" | ">" | ">=" | "between" | "not_between" | "one_of" | "none_of" | "contains" | "not_contains" | "starts_with" | "ends_with" | "empty" | "not_empty";
  /** A column or formula to compare with, in place of `value`. */
  other?: string | null;
  /** The value to compare with. */
  value?: string | number | null;
  /** The values of `one_of` and `none_of`, or the two bounds of `between` and `not_between`, which belong to the range. */
  values?: (string | number)[] | null;
}

export interface DataAggregationAgentOutput {
  /** Rows that may mean the same, by their places in `rows`, from 0. */
  alike: DataAggregationAgentOutputAlikeItem[];
  /** Figures of all rows, each with the rows that it is based on. */
  answers: DataAggregationAgentOutputAnswersItem[];
  /** Columns of the resulting table, with their types. */
  columns: DataAggregationAgentOutputColumnsItem[];
  /** Records whose sources disagree. */
  conflicts: DataAggregationAgentOutputConflictsItem[];
  /** Rows that were left out because an equal one is there. */
  duplicates_removed: number;
  /** Groups with their figures; of merged tables, with the sums of every numeric column. */
  groups: DataAggregationAgentOutputGroupsItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** Its rows, at most 1,000: merged, joined, sorted or pivoted rows, or a row for each group. */
  rows: Record<string, string>[];
  /** Number of all its rows. */
  rows_total: number;
  /** The result in words. */
  summary: string;
}

export interface DataAggregationAgentOutputAlikeItem {
  /** The first row. */
  a: number;
  /** The second. */
  b: number;
  /** How likely, 0 to 1: an order rather than a chance. */
  probability: number;
}

export interface DataAggregationAgentOutputAnswersItem {
  /** The rows of the table that it is based on, from 1, at most 200. */
  rows: number[];
  /** Its value: a number or a date; null if no row has one. */
  value: unknown;
  /** What it is: `sum of amount`, `count of rows where status = paid`. */
  what: string;
}

export interface DataAggregationAgentOutputColumnsItem {
  /** Cells without a value. */
  missing: number;
  /** Its name. */
  name: string;
  /** The type of its values. */
  type: string;
}

export interface DataAggregationAgentOutputConflictsItem {
  /** The column. */
  column: string;
  /** The value that was kept. */
  kept: string;
  /** Value of the key column. */
  key: string;
  /** The other one. */
  other: string;
  /** The table that has it. */
  table: string;
}

export interface DataAggregationAgentOutputGroupsItem {
  /** Those values, by column. */
  of: Record<string, string>;
  /** How many rows. */
  rows: number;
  /** Sum of each numeric column, exactly. */
  sums: Record<string, number>;
  /** The figures, by their names. */
  values: Record<string, unknown>;
}

export interface DataExtractionAgentInput {
  /** How 3/4/2024 is read. Default: such a date has no value, unless other dates of the text show the order. */
  dates?: "day_first" | "month_first" | null;
  /** The decimal sign. Default: as other numbers of the text show. */
  decimals?: "point" | "comma" | null;
  /** Fields to fill, at most 50. Default: everything that is found. */
  fields?: DataExtractionAgentInputFieldsItem[] | null;
  /** HTML instead. */
  html?: string | null;
  /** A JSON Schema that the `values` must fit. */
  schema?: Record<string, unknown> | null;
  /** The text, at most 100,000 bytes: lines such as `Label: value`, tables, JSON. The task's own text unless given. */
  text?: string | null;
}

export interface DataExtractionAgentInputFieldsItem {
  /** Whether all values with this label are returned, as a list. Default: false; a column of a table with several rows is always a list. */
  all?: boolean | null;
  /** Whether the field is the list of all values of its kind (email, phone, date, amount, iban, url), with or without a label. Default: false. */
  everywhere?: boolean | null;
  /** What it is. Default: text. */
  kind?: "text" | "number" | "amount" | "date" | "email" | "phone" | "iban" | "url";
  /** The label before it in the text, the name of a column, or a path in JSON. Default: the name, `_` as space. */
  label?: string | null;
  /** Its name in the answer. */
  name: string;
  /** Whether the task is refused if the field has no value. Default: false; the field is then null, and `notes` has the reason. */
  required?: boolean | null;
}

export interface DataExtractionAgentOutput {
  /** Whether the values fit the schema; null without one. */
  fits_schema: boolean | null;
  /** Everything found, by place. */
  found: DataExtractionAgentOutputFoundItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** Fields without a value. */
  missing: string[];
  /** Why a field has no value, or how it was decided without its label. */
  notes?: Record<string, string>;
  /** Where they do not. */
  schema_problems: DataExtractionAgentOutputSchemaProblemsItem[];
  /** The result in words. */
  summary: string;
  /** The text that places refer to; null where it was given as it is. */
  text: string | null;
  /** Value by field; null where the text has none. */
  values: Record<string, unknown>;
}

export interface DataExtractionAgentOutputFoundItem {
  /** labelled, amount, date, url, email, phone, iban, card, name and so on. */
  kind: string;
  /** The label before it. */
  label: string | null;
  /** Place of its first character, from 0, in characters. */
  start: number;
  /** The value as written; a date as YYYY-MM-DD. */
  value: unknown;
}

export interface DataExtractionAgentOutputSchemaProblemsItem {
  /** What is wrong. */
  message: string;
  /** JSON pointer into `values`. */
  path: string;
}

export interface DataValidationAgentInput {
  /** The records as text: CSV with a header, JSON lines or a JSON array. Default: the table of the task. */
  data?: string | null;
  /** How numbers and dates are written, if the cells do not show it. */
  notation?: DataValidationAgentInputNotation | null;
  /** The records as JSON objects instead, at most 10,000. */
  records?: Record<string, unknown>[] | null;
  /** The rules to check. Default: the table is described as a whole, with its gaps, repeats and outliers. */
  rules?: (DataValidationAgentInputRulesItem | DataValidationAgentInputRulesItem_ | DataValidationAgentInputRulesItem__ | DataValidationAgentInputRulesItem___ | DataValidationAgentInputRulesItem____ | DataValidationAgentInputRulesItem_____ | DataValidationAgentInputRulesItem______ | DataValidationAgentInputRulesItem_______ | DataValidationAgentInputRulesItem________ | DataValidationAgentInputRulesItem_________ | DataValidationAgentInputRulesItem__________ | DataValidationAgentInputRulesItem___________ | DataValidationAgentInputRulesItem____________ | DataValidationAgentInputRulesItem_____________)[] | null;
  /** A JSON Schema (draft 2020-12) of one record. Needs `records`, because cells of a text have no types. */
  schema?: Record<string, unknown> | null;
}

export interface DataValidationAgentInputNotation {
  /** Whether `01/02/2024` is in February (`day_first`) or in January (`month_first`). Default: as the cells show; an error if they can mean both. */
  dates?: "day_first" | "month_first" | null;
  /** The decimal sign, `point` or `comma`. Default: as the cells show; an error if they can mean both. */
  decimal?: "point" | "comma" | null;
}

export interface DataValidationAgentInputRulesItem {
  check: "required";
  /** The columns. */
  columns?: string[] | null;
}

export interface DataValidationAgentInputRulesItem_ {
  check: "unique";
  /** The columns. */
  columns?: string[] | null;
  /** Whether `A` and `a` are the same. Default: no. */
  ignore_case?: boolean | null;
}

export interface DataValidationAgentInputRulesItem__ {
  check: "type";
  /** The columns. */
  columns: string[];
  /** The type. */
  type: "number" | "integer" | "date" | "time" | "boolean";
}

export interface DataValidationAgentInputRulesItem___ {
  check: "format";
  /** The columns. */
  columns: string[];
  /** Code of the country of postcodes, such as `DE`. */
  country?: string | null;
  /** The format. */
  format: "email" | "phone" | "url" | "iban" | "isbn" | "ean" | "card" | "ip" | "hex_color" | "uuid" | "postcode";
}

export interface DataValidationAgentInputRulesItem____ {
  check: "dates";
  /** The columns. */
  columns: string[];
  /** The pattern. */
  pattern: string;
}

export interface DataValidationAgentInputRulesItem_____ {
  check: "pattern";
  /** The columns. */
  columns: string[];
  /** The regular expression. */
  regex: string;
}

export interface DataValidationAgentInputRulesItem______ {
  check: "length";
  /** The columns. */
  columns: string[];
  /** The most characters. */
  max?: number | null;
  /** The fewest characters. */
  min?: number | null;
}

export interface DataValidationAgentInputRulesItem_______ {
  check: "condition";
  /** The condition. */
  that: DataValidationAgentInputRulesItem_______That;
  /** Conditions on the rows that it holds for. */
  when?: DataValidationAgentInputRulesItem_______WhenItem[] | null;
}

export interface DataValidationAgentInputRulesItem_______That {
  /** A column; a formula over columns such as `qty * price`; or `year of`, `quarter of`, `month of`, `week of` or `weekday of` and a column of dates. */
  column: string;
  /** The comparison. Case does not matter in texts. A cell without a value meets only `empty`, `!=`, `none_of` and `not_contains`. */
  is: "=" | "!=" | "<" | "<=" | ">" | ">=" | "between" | "not_between" | "one_of" | "none_of" | "contains" | "not_contains" | "starts_with" | "ends_with" | "empty" | "not_empty";
  /** A column or formula to compare with, in place of `value`. */
  other?: string | null;
  /** The value to compare with. */
  value?: string | number | null;
  /** The values of `one_of` and `none_of`, or the two bounds of `between` and `not_between`, which belong to the range. */
  values?: (string | number)[] | null;
}

export interface DataValidationAgentInputRulesItem_______WhenItem {
  /** A column; a formula over columns such as `qty * price`; or `year of`, `quarter of`, `month of`, `week of` or `weekday of` and a column of dates. */
  column: string;
  /** The comparison. Case does not matter in texts. A cell without a value meets only `empty`, `!=`, `none_of` and `not_contains`. */
  is: "=" | "!=" | "<" | "<=" | ">" | ">=" | "between" | "not_between" | "one_of" | "none_of" | "contains" | "not_contains" | "starts_with" | "ends_with" | "empty" | "not_empty";
  /** A column or formula to compare with, in place of `value`. */
  other?: string | null;
  /** The value to compare with. */
  value?: string | number | null;
  /** The values of `one_of` and `none_of`, or the two bounds of `between` and `not_between`, which belong to the range. */
  values?: (string | number)[] | null;
}

export interface DataValidationAgentInputRulesItem________ {
  check: "formula";
  /** The column. */
  column: string;
  /** The formula. */
  equals: string;
  /** Allowed difference. Default: half of the last decimal of these columns. */
  tolerance?: number | null;
}

export interface DataValidationAgentInputRulesItem_________ {
  check: "ascending";
  /** The column. */
  column: string;
  /** Whether they go down. Default: no. */
  descending?: boolean;
  /** Whether equal neighbours are wrong. Default: no. */
  strict?: boolean;
}

export interface DataValidationAgentInputRulesItem__________ {
  check: "consecutive";
  /** The column. */
  column: string;
  /** The first number. */
  from?: number | null;
  /** The last number. */
  to?: number | null;
}

export interface DataValidationAgentInputRulesItem___________ {
  check: "total";
  /** The column. */
  column: string;
  /** The sum. */
  equals: number;
  /** Allowed difference. Default: 0. */
  tolerance?: number | null;
}

export interface DataValidationAgentInputRulesItem____________ {
  check: "date_part";
  /** The column. */
  column: string;
  /** The column of dates. */
  of: string;
  /** The part of the date. */
  part: "year" | "quarter" | "month" | "weekday";
}

export interface DataValidationAgentInputRulesItem_____________ {
  /** The column of dates of birth. */
  born: string;
  check: "age";
  /** The column. */
  column: string;
  /** The day of the age. */
  on: string;
}

export interface DataValidationAgentOutput {
  /** Columns and their types. */
  columns: DataValidationAgentOutputColumnsItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** The problems, the gravest first, then by rule; at most 1,000. */
  problems: DataValidationAgentOutputProblemsItem[];
  /** Number of rows. */
  rows: number;
  /** The rules that were checked, in words; empty if the table was described as a whole. */
  rules: string[];
  /** The result in words. */
  summary: string;
  /** Whether there is no problem of severity medium or above and the schema holds. */
  valid: boolean;
}

export interface DataValidationAgentOutputColumnsItem {
  /** Different values. */
  distinct: number;
  /** Cells without a value. */
  missing: number;
  /** Its name. */
  name: string;
  /** The type of its values. */
  type: string;
}

export interface DataValidationAgentOutputProblemsItem {
  /** The column or columns, or `row` for a whole row; null if the problem names none. */
  field: string | null;
  /** `missing`, `duplicate`, `type`, `format`, `range` or `inconsistent`; null for other remarks about a column. */
  kind: string | null;
  /** What is wrong. */
  message: string;
  /** A row and column, a column, or the JSON pointer of a value. */
  place: string;
  /** What to do. */
  repair: string;
  /** The rows, from 1 without the header; empty if the column as a whole is meant. */
  rows: number[];
  /** `high`, `medium` or `low`. */
  severity: string;
}

export interface GeneralAgentInput {
  /** The typed input of that skill. */
  input?: Record<string, unknown> | null;
  /** The skill to use instead of a choice, such as `code:review`. */
  skill?: string | null;
  /** The task in words. Default: the task of the call. */
  task?: string | null;
}

export interface GeneralAgentOutput {
  /** Skills that come next, the likelier first. */
  alternatives: string[];
  /** The whole answer. */
  answer: Record<string, unknown>;
  /** What the answer does not cover. */
  limitations: string[];
  /** The skill that answered, or `arithmetic`, `check` or `model`. */
  skill: string;
  /** The answer in words. */
  summary: string;
  /** Why it was chosen. */
  why: string;
}

export interface PricingOptimizationAgentInput {
  /** Exact arithmetic of margin, markup, discount, tax and break-even; `unit_cost` and `fixed_cost` are used. */
  calculate?: PricingOptimizationAgentInputCalculate | null;
  /** A change of the price whose effect is wanted. */
  change?: PricingOptimizationAgentInputChange | null;
  /** Today's price. Default: the last of 8 or more periods, otherwise unknown. */
  current_price?: number | null;
  /** A straight demand line in place of a history. */
  demand?: PricingOptimizationAgentInputDemand | null;
  /** Elasticity of demand in place of a history: percent that demand moves when the price rises by 1 %, mostly negative. */
  elasticity?: number | null;
  /** How the elasticity between two prices is computed: `midpoint` (default), or `simple`: shares of the first one. */
  elasticity_method?: "midpoint" | "simple" | null;
  /** Cost of a period that does not depend on the units sold. */
  fixed_cost?: number | null;
  /** Periods or variants with a price and the units sold, in order of time, 2 to 5,000. From 8 periods with 3 prices on, demand is estimated; fewer are compared as they are. */
  history?: PricingOptimizationAgentInputHistoryItem[] | null;
  /** Farthest from today's price, in percent of it. */
  max_change_percent?: number | null;
  /** What to make large. Default: profit with a `unit_cost`, otherwise revenue. */
  objective?: "profit" | "revenue" | null;
  /** Highest price. Default: the highest of the history. */
  price_max?: number | null;
  /** Least price. Default: the least of the history. */
  price_min?: number | null;
  /** Cost of one more unit. Without it, revenue counts instead of profit. */
  unit_cost?: number | null;
}

export interface PricingOptimizationAgentInputCalculate {
  /** Discount in percent of the price. */
  discount_percent?: number | null;
  /** Price without tax after the discount, in place of `discount_percent`. */
  discounted_price?: number | null;
  /** Selling price with tax, before a discount; needs `vat_percent`, or `price` to compute it. */
  gross_price?: number | null;
  /** Profit in percent of the price without tax. */
  margin_percent?: number | null;
  /** Profit in percent of the unit cost. */
  markup_percent?: number | null;
  /** Selling price without tax, before a discount. */
  price?: number | null;
  /** Units sold, for revenue and profit. */
  quantity?: number | null;
  /** Profit of a period after `fixed_cost` that the units must bring. */
  target_profit?: number | null;
  /** Value added or sales tax in percent of the price without it. */
  vat_percent?: number | null;
}

export interface PricingOptimizationAgentInputChange {
  /** Contribution margin before, in percent of the price, in place of `unit_cost`. */
  margin_percent?: number | null;
  /** Price after. */
  new_price?: number | null;
  /** Units after. */
  new_quantity?: number | null;
  /** Price before. Default: `current_price`. */
  price?: number | null;
  /** Change of the price in percent, in place of `new_price`; negative for a cut. */
  price_percent?: number | null;
  /** Units before. */
  quantity?: number | null;
  /** Change of the units in percent, in place of `new_quantity`. */
  quantity_percent?: number | null;
}

export interface PricingOptimizationAgentInputDemand {
  /** Units at a price of 0. */
  at_zero: number;
  /** Units lost for each 1 of the price. */
  slope: number;
}

export interface PricingOptimizationAgentInputHistoryItem {
  /** A name for the variant. */
  name?: string | null;
  /** How many could have bought (visitors, trials), if that differs between the prices. */
  offered?: number | null;
  /** Price of a unit, above 0. */
  price: number;
  /** Units sold. */
  quantity: number;
}

export interface PricingOptimizationAgentOutput {
  /** What the answer rests on. */
  based_on: PricingOptimizationAgentOutputBasedOn;
  /** The price that brought most for each period in the data; null without data. */
  best_in_data: PricingOptimizationAgentOutputBestInData | null;
  /** Bounds that hold the price back. */
  bound_by: string[];
  /** Today's price, if it is known. */
  current_price: number | null;
  /** `change` to `price`, `keep` today's, `test` (better by the estimate, not settled), `none` (demand does not fall with the price), or `unclear`: there is no basis for a decision. */
  decision: string;
  /** Percent that demand moves when the price rises by one; null if it cannot be computed. */
  elasticity: PricingOptimizationAgentOutputElasticity | null;
  /** Computed figures by name: break-even units, margin, prices with and without tax. */
  figures: PricingOptimizationAgentOutputFiguresItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** The proposed or computed price; null if there is none. */
  price: number | null;
  /** What to expect at several prices. */
  scenarios: PricingOptimizationAgentOutputScenariosItem[];
  /** The answer in words. */
  summary: string;
}

export interface PricingOptimizationAgentOutputBasedOn {
  /** Different prices among them. */
  different_prices: number;
  /** How the answer was computed: `regression`, `midpoint`, `simple` (shares of the first), `given` or `arithmetic`. */
  method: string;
  /** Highest price allowed, if it is known. */
  price_max: number | null;
  /** Least price allowed, if it is known. */
  price_min: number | null;
  /** Periods or variants with a price and a quantity. */
  sales: number;
  /** Cost of a unit, if it is known. */
  unit_cost: number | null;
}

export interface PricingOptimizationAgentOutputBestInData {
  /** `revenue` or `profit`. */
  goal: string;
  /** Its name, if it has one. */
  name: string | null;
  /** The price. */
  price: number;
  /** What it brought for each period, or for each who could have bought. */
  value: number;
}

export interface PricingOptimizationAgentOutputElasticity {
  /** The likeliest value. */
  estimate: number;
  /** High end. */
  high: number | null;
  /** Low end; null if there are too few periods. */
  low: number | null;
}

export interface PricingOptimizationAgentOutputFiguresItem {
  /** Its name. */
  name: string;
  /** Its value. */
  value: number;
}

export interface PricingOptimizationAgentOutputScenariosItem {
  /** Whether no sale had such a price. */
  extrapolated: boolean;
  /** `best`, `current`, or empty. */
  mark: string;
  /** The price. */
  price: number;
  /** Revenue less the cost of the units; null if no cost is known. */
  profit: number | null;
  /** Units in a period. */
  quantity: PricingOptimizationAgentOutputScenariosItemQuantity;
  /** Price times units. */
  revenue: number;
}

export interface PricingOptimizationAgentOutputScenariosItemQuantity {
  /** The likeliest value. */
  estimate: number;
  /** High end. */
  high: number;
  /** Low end. */
  low: number;
}

export interface PromptedAgentOutput {
  /** What the provider took, in thousandths of a penny; paid out of the price of this call. */
  cost_millipence: number;
  /** What to bear in mind. */
  limitations: string[];
  /** The model that answered. */
  model: string;
  /** Who runs it. */
  provider: string;
  /** The answer. */
  text: string;
  /** The answer was cut off. */
  truncated: boolean;
}

export interface ResearchCitationAgentInput {
  /** The claims one by one instead, at most 100. */
  claims?: string[] | null;
  /** Identifiers to check, at most 100. */
  identifiers?: ResearchCitationAgentInputIdentifiersItem[] | null;
  /** Whether only the words of the claims are looked for: a claim is then supported if a source has them verbatim, and unsupported otherwise. Default: false. */
  literal?: boolean | null;
  /** References as running text or BibTeX entries, to check and to format, at most 100. */
  references?: string[] | null;
  /** The sources of the claims, at most 50. */
  sources?: ResearchCitationAgentInputSourcesItem[] | null;
  /** The form of the references. Default: apa. */
  style?: "apa" | "vancouver" | "bibtex" | "mla" | "chicago" | "harvard" | "ieee" | null;
  /** The text whose sentences are the claims, at most 100 sentences. */
  text?: string | null;
  /** Works by their parts, to format, at most 100. */
  works?: ResearchCitationAgentInputWorksItem[] | null;
}

export interface ResearchCitationAgentInputIdentifiersItem {
  /** Its kind. Default: as its form shows. */
  kind?: "isbn" | "issn" | "doi" | "orcid" | "arxiv" | "pmid" | null;
  /** The identifier. */
  value: string;
}

export interface ResearchCitationAgentInputSourcesItem {
  /** Its name. */
  id: string;
  /** Its text. */
  text: string;
}

export interface ResearchCitationAgentInputWorksItem {
  /** The day on which a page was read, as YYYY-MM-DD. */
  accessed?: string;
  /** Its authors, at most 100: `Family, Given`; a name without a comma is an organisation. */
  authors?: string[];
  /** The journal, book, proceedings or site that it is in. */
  container?: string;
  /** The day of publication, as YYYY-MM-DD, for a page on the web. */
  date?: string;
  /** The DOI, without an address before it. */
  doi?: string;
  /** The edition, as a number. */
  edition?: string;
  /** The editors of the book that it is in, in the same form. */
  editors?: string[];
  /** The ISBN. */
  isbn?: string;
  /** The number within the volume. */
  issue?: string;
  /** Its kind. Default: book. */
  kind?: "article" | "book" | "chapter" | "paper" | "page" | "thesis";
  /** The pages: `5-18`. */
  pages?: string;
  /** The place of the publisher. */
  place?: string;
  /** The publisher, or the school of a thesis. */
  publisher?: string;
  /** Its title. */
  title?: string;
  /** The web address. */
  url?: string;
  /** The volume. */
  volume?: string;
  /** The year. */
  year?: string;
}

export interface ResearchCitationAgentOutput {
  /** Each claim, in order. */
  claims: ResearchCitationAgentOutputClaimsItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** Each reference, work and identifier, in order. */
  references: ResearchCitationAgentOutputReferencesItem[];
  /** The result in words. */
  summary: string;
}

export interface ResearchCitationAgentOutputClaimsItem {
  /** As written. */
  claim: string;
  /** What the sources state. */
  finding: "supported" | "contradicted" | "unsupported";
  /** Share of its words in the quote, 0 to 1. */
  overlap: number;
  /** The sentence that shows it; null for `unsupported`. */
  quote: ResearchCitationAgentOutputClaimsItemQuote | null;
  /** The reason for this finding. */
  reason: string;
}

export interface ResearchCitationAgentOutputClaimsItemQuote {
  /** Id of the source. */
  source: string;
  /** Place of its first character in the source, from 0, in characters. */
  start: number;
  /** Word for word. */
  text: string;
}

export interface ResearchCitationAgentOutputReferencesItem {
  /** In the requested form; null if its parts are not clear. */
  formatted: string | null;
  /** What is wrong. */
  issues: string[];
  /** Whether nothing in it is wrong. */
  ok: boolean;
  /** Its beginning. */
  text: string;
}

export interface SalesLeadScoringAgentInput {
  /** Points of every lead before the rules. Default: 0. */
  base?: number | null;
  /** Whether leads that are probably the same are merged. Default: with a profile only. */
  duplicates?: boolean | null;
  /** Conditions that leave a lead out; one that is met suffices. */
  except?: SalesLeadScoringAgentInputExceptItem[] | null;
  /** Grades and the scores from which they apply. Default: none; with a profile A from 75, B from 55, C from 35, D. */
  grades?: SalesLeadScoringAgentInputGradesItem[] | null;
  /** The leads, at most 1,000; with a `profile` at most 20, of which 5 may be different. */
  leads?: SalesLeadScoringAgentInputLeadsItem[] | null;
  /** Fields whose product is the score, in place of rules. */
  multiply?: string[] | null;
  /** Conditions that a lead must all meet to be ranked. */
  only?: SalesLeadScoringAgentInputOnlyItem[] | null;
  /** Fields to order by, the most important first; with rules they decide between equal scores. */
  order_by?: SalesLeadScoringAgentInputOrderByItem[] | null;
  /** The wanted customer. What it does not name is not scored. */
  profile?: SalesLeadScoringAgentInputProfile | null;
  /** Rules that give points; the score of a lead is their sum. */
  rules?: SalesLeadScoringAgentInputRulesItem[] | null;
  /** Fields that make leads the same if all of them are equal, such as `phone`. */
  same?: string[] | null;
  /** Leads to list, the best ones. Default: all. */
  top?: number | null;
}

export interface SalesLeadScoringAgentInputExceptItem {
  /** The number is above this. */
  above?: number | null;
  /** The number is at least this. */
  at_least?: number | null;
  /** The number is at most this. */
  at_most?: number | null;
  /** The number is below this. */
  below?: number | null;
  /** The value contains one of these texts as whole words; case does not matter. */
  contains?: string[];
  /** The field: a member of a lead, or a name in its `fields`. */
  field: string;
  /** The value is one of these; case does not matter. */
  is?: string[];
  /** Whether there is a value. */
  known?: boolean | null;
  /** Reverses the test; a missing value still does not meet it. */
  not?: boolean;
}

export interface SalesLeadScoringAgentInputGradesItem {
  /** The least score. */
  at_least: number;
  /** Its name: `A`, `hot`. */
  name: string;
}

export interface SalesLeadScoringAgentInputLeadsItem {
  /** The company. */
  company?: string | null;
  /** Its country. */
  country?: string | null;
  /** E-mail address. */
  email?: string | null;
  /** Number of its employees. */
  employees?: number | null;
  /** Anything else, by name, as text, number or true and false: budget, demo, last contact. */
  fields?: Record<string, unknown>;
  /** Its industry. */
  industry?: string | null;
  /** The person. */
  name?: string | null;
  /** Phone number. */
  phone?: string | null;
  /** Job title. */
  title?: string | null;
  /** Its web address or domain. */
  website?: string | null;
}

export interface SalesLeadScoringAgentInputOnlyItem {
  /** The number is above this. */
  above?: number | null;
  /** The number is at least this. */
  at_least?: number | null;
  /** The number is at most this. */
  at_most?: number | null;
  /** The number is below this. */
  below?: number | null;
  /** The value contains one of these texts as whole words; case does not matter. */
  contains?: string[];
  /** The field: a member of a lead, or a name in its `fields`. */
  field: string;
  /** The value is one of these; case does not matter. */
  is?: string[];
  /** Whether there is a value. */
  known?: boolean | null;
  /** Reverses the test; a missing value still does not meet it. */
  not?: boolean;
}

export interface SalesLeadScoringAgentInputOrderByItem {
  /** Whether the lowest number comes first. Default: the highest. */
  ascending?: boolean;
  /** The field; its values are numbers, unless `values` is given. */
  field: string;
  /** The values in order, the best first, for a field of texts. */
  values?: string[];
}

export interface SalesLeadScoringAgentInputProfile {
  /** Countries, as leads name them. */
  countries?: string[];
  /** Most employees. */
  employees_max?: number | null;
  /** Least employees. */
  employees_min?: number | null;
  /** Industries, as leads name them. */
  industries?: string[];
  /** Job titles. */
  titles?: string[];
}

export interface SalesLeadScoringAgentInputRulesItem {
  /** A field whose number the points are multiplied by: `visits` for points per visit. */
  per?: string | null;
  /** Points, negative to take some off. */
  points: number;
  /** Conditions that must all be met; none for every lead. */
  when?: SalesLeadScoringAgentInputRulesItemWhenItem[];
}

export interface SalesLeadScoringAgentInputRulesItemWhenItem {
  /** The number is above this. */
  above?: number | null;
  /** The number is at least this. */
  at_least?: number | null;
  /** The number is at most this. */
  at_most?: number | null;
  /** The number is below this. */
  below?: number | null;
  /** The value contains one of these texts as whole words; case does not matter. */
  contains?: string[];
  /** The field: a member of a lead, or a name in its `fields`. */
  field: string;
  /** The value is one of these; case does not matter. */
  is?: string[];
  /** Whether there is a value. */
  known?: boolean | null;
  /** Reverses the test; a missing value still does not meet it. */
  not?: boolean;
}

export interface SalesLeadScoringAgentOutput {
  /** What the scores rest on: `own rules`, `columns` (an order or a product), or `members` (compared with the profile). */
  based_on: string;
  /** Leads that are the same, by their positions in the input, from 0; the first of each is ranked. */
  doubles: number[][];
  /** What the answer does not cover. */
  limitations: string[];
  /** The leads, the best first. */
  ranking: SalesLeadScoringAgentOutputRankingItem[];
  /** The answer in words. */
  summary: string;
}

export interface SalesLeadScoringAgentOutputRankingItem {
  /** Where the points come from. */
  contributions: SalesLeadScoringAgentOutputRankingItemContributionsItem[];
  /** What the e-mail address is worth: accept, risky and so on; null unless it was checked. */
  email: string | null;
  /** An address that may be meant instead. */
  email_suggestion: string | null;
  /** The grade; null if none are defined. */
  grade: string | null;
  /** Its position in the input, from 0. */
  index: number;
  /** Share of the scored values that are known, 0 to 1. */
  known: number;
  /** Name, company or e-mail address. */
  lead: string;
  /** What was merged with it, itself first; empty without doubles. */
  merged: string[];
  /** From 1; leads with equal scores have the same rank. */
  rank: number;
  /** The sum of points; 0 to 100 with a profile; the number of leads behind it if only an order is given. */
  score: number;
}

export interface SalesLeadScoringAgentOutputRankingItemContributionsItem {
  /** Most that it could bring. */
  most: number;
  /** Which part. */
  part: string;
  /** Points that it brings. */
  points: number;
  /** Why. */
  reason: string;
}

export interface SentimentAgentInput {
  /** Aspects to judge, each by the sentences that name it and no other aspect; at most 20. */
  aspects?: string[] | null;
  /** Whether words of financial news are rated too. Default: false. */
  finance?: boolean;
  /** The labels to choose from. Default: all four. */
  labels?: ("positive" | "negative" | "neutral" | "mixed")[] | null;
  /** The text, English. Default: the task, if `aspects` are given. */
  text?: string | null;
  /** Several texts instead of `text`, at most 200. */
  texts?: string[] | null;
}

export interface SentimentAgentOutput {
  /** The aspects that were named and that a sentence mentions. */
  aspects: SentimentAgentOutputAspectsItem[];
  /** The texts, in order. */
  items: SentimentAgentOutputItemsItem[];
  /** positive, negative, neutral or mixed, of all texts together; null if a text has no label. */
  label: "positive" | "negative" | "neutral" | "mixed" | null;
  /** What the answer does not cover. */
  limitations: string[];
  /** Mean of the sentences' scores, -1 to 1. */
  score: number;
  /** The sentences. */
  sentences: SentimentAgentOutputSentencesItem[];
  /** The result in words. */
  summary: string;
}

export interface SentimentAgentOutputAspectsItem {
  /** positive, negative, neutral or mixed; null if the readers do not agree on a sentence of its own. */
  label: "positive" | "negative" | "neutral" | "mixed" | null;
  /** Its name. */
  name: string;
  /** Mean score of its own sentences, -1 to 1. */
  score: number;
  /** Positions in `sentences` of those that name it, from 0. */
  sentences: number[];
}

export interface SentimentAgentOutputItemsItem {
  /** The rated words, with what they add. */
  based_on: SentimentAgentOutputItemsItemBasedOnItem[];
  /** positive, negative, neutral or mixed; null if the readers do not agree. */
  label: "positive" | "negative" | "neutral" | "mixed" | null;
  /** Mean of its sentences' scores, -1 to 1. */
  score: number;
  /** Its beginning, at most 120 characters. */
  text: string;
}

export interface SentimentAgentOutputItemsItemBasedOnItem {
  /** What it adds, after negation and words of degree. */
  value: number;
  /** As written. */
  word: string;
}

export interface SentimentAgentOutputSentencesItem {
  /** positive, negative or neutral; null if the readers do not agree. */
  label: "positive" | "negative" | "neutral" | "mixed" | null;
  /** The score of its words, -1 to 1. */
  score: number;
  /** Position of its first character in its text, from 0, in characters. */
  start: number;
  /** As written. */
  text: string;
  /** The rated words. */
  words: SentimentAgentOutputSentencesItemWordsItem[];
}

export interface SentimentAgentOutputSentencesItemWordsItem {
  /** What it adds, after negation and words of degree. */
  value: number;
  /** As written. */
  word: string;
}

export interface SummarizationAgentInput {
  /** Only sentences that have a word of this topic. */
  about?: string | null;
  /** Exactly this number of sentences, each as a bullet. */
  bullets?: number | null;
  /** Only sentences that have one of these words or phrases, in any case. */
  containing?: string[] | null;
  /** Several documents instead, at most 50 and 500,000 bytes in all. */
  documents?: SummarizationAgentInputDocumentsItem[] | null;
  /** The form of `summary`: `text`, `bullets` or `json`. Default: text, or bullets with `bullets`. */
  format?: "text" | "bullets" | "json" | null;
  /** Language of the summary, ISO 639-1; only with `own_words`. Default: that of the text. */
  language?: string | null;
  /** Most sentences. Default: 3, or as many as `max_words` allows. */
  max_sentences?: number | null;
  /** Most words. */
  max_words?: number | null;
  /** Other words than those of the text. Needs a model. */
  own_words?: boolean | null;
  /** Most sentences from each of `documents`, in place of a choice among all of them. */
  per_document?: number | null;
  /** One text. The task's own text unless given. */
  text?: string | null;
  /** Only sentences that have a number in digits. */
  with_numbers?: boolean | null;
}

export interface SummarizationAgentInputDocumentsItem {
  /** Its text. */
  text: string;
  /** Its name. Default: `document 1` and so on. */
  title?: string | null;
}

export interface SummarizationAgentOutput {
  /** Language of the documents, ISO 639-1, if it is clear; of a model's summary, if one was requested. */
  language: string | null;
  /** What the answer does not cover. */
  limitations: string[];
  /** What was done, in words. */
  note: string;
  /** Each of its sentences, and its place; empty if a model wrote the summary. */
  sentences: SummarizationAgentOutputSentencesItem[];
  /** The summary: sentences of the documents, in their order. */
  summary: string;
}

export interface SummarizationAgentOutputSentencesItem {
  /** Title of the document. */
  document: string;
  /** Place of its first character in the document, from 0, in characters. */
  start: number;
  /** The sentence as it is in the document. */
  text: string;
}

export interface TranslationAgentInput {
  /** Terms and what they must be in the translation, at most 200. */
  glossary?: TranslationAgentInputGlossaryItem[] | null;
  /** Names and terms that must stay as they are, at most 200. */
  keep?: string[] | null;
  /** Language of the text, a code. Default: detected. */
  source?: string | null;
  /** Language of the translation: a code (`de`, `pt-BR`). Default: `en`. */
  target?: string | null;
  /** Several languages instead of `target`, at most 5. */
  targets?: string[] | null;
  /** The text, at most 32 KiB. The task's own text unless given. */
  text?: string | null;
  /** An existing translation of `text`, whose numbers, placeholders, addresses, `keep` and `glossary` are compared with it. No model is asked. */
  translation?: string | null;
}

export interface TranslationAgentInputGlossaryItem {
  /** The term in the text. */
  term: string;
  /** Its required translation. */
  translation: string;
}

export interface TranslationAgentOutput {
  /** Comparisons of the two texts. */
  checks: TranslationAgentOutputChecksItem[];
  /** The translation into each language; of a comparison, each difference. */
  items: TranslationAgentOutputItemsItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** The model that wrote the translation; null if none was asked. */
  model: string | null;
  /** Whether every check passed; a translation that failed one is not given. */
  passed: boolean;
  /** Language of the text given, ISO 639-1, if it is clear. */
  source: string | null;
  /** The result in words. */
  summary: string;
  /** Language of the translation; several are separated by commas. */
  target: string;
  /** The translated text; empty if two texts were compared. */
  translation: string;
}

export interface TranslationAgentOutputChecksItem {
  /** What only the translation has. */
  added: string[];
  /** What the translation lacks. */
  missing: string[];
  /** What was compared. */
  name: string;
  /** Whether nothing is missing and nothing was added. */
  passed: boolean;
}

export interface TranslationAgentOutputItemsItem {
  /** `model`, `unchanged` or `comparison`. */
  from: string;
  /** Language of the translation. */
  target: string;
  /** The text as given. */
  text: string;
  /** Its translation, or what differs. */
  translation: string;
}

export interface VideoEvaluationAgentInput {
  /** Two captions, from 1, whose gap `summary` states. */
  between?: number[] | null;
  /** Captions: SubRip or WebVTT. */
  captions?: string | null;
  /** The checks to make; none for an empty list. Default: all. */
  checks?: ("overlap" | "numbering" | "empty" | "repeated" | "reading_speed" | "words_per_minute" | "line_length" | "lines" | "duration" | "gap" | "order" | "end" | "words" | "format")[] | null;
  /** Figures that `summary` states. `captions` in the answer has all of them. */
  figures?: ("first_caption_starts" | "last_caption_ends" | "average_duration" | "longest_duration" | "shortest_duration" | "uncovered_seconds" | "longest_gap" | "shortest_gap" | "gaps_in_all" | "words" | "characters" | "characters_per_second" | "most_characters_per_second" | "words_per_minute" | "longest_line" | "captions" | "shown_seconds" | "covered_percent")[] | null;
  /** Words or phrases to count, with their captions. */
  find_words?: string[] | null;
  /** Limits in place of the defaults. */
  limits?: VideoEvaluationAgentInputLimits | null;
  /** The file, or its beginning, in base64: MP4, MOV, M4A, WAV or MP3. */
  media?: string | null;
  /** Duration in seconds, if `media` does not tell. */
  media_seconds?: number | null;
  /** Two of words, seconds and pace of a speech; the third is computed. */
  speech?: VideoEvaluationAgentInputSpeech | null;
  /** The spoken words, as plain text. Default: the text of the captions. */
  transcript?: string | null;
}

export interface VideoEvaluationAgentInputLimits {
  /** Words and phrases that no caption may have, in any case. Default: none. */
  forbidden_words?: string[] | null;
  /** Most characters per second, spaces and punctuation included. Default: 17. */
  max_characters_per_second?: number | null;
  /** Longest time without captions between two of them, in seconds. Default: none. */
  max_gap_seconds?: number | null;
  /** Most characters of a line. Default: 42. */
  max_line_characters?: number | null;
  /** Most lines of a caption. Default: 2. */
  max_lines?: number | null;
  /** Longest time on screen, in seconds. Default: 7. */
  max_seconds?: number | null;
  /** Most words per minute of a caption. Default: 200. */
  max_words_per_minute?: number | null;
  /** Shortest gap between captions that do not touch, in seconds. Default: none. */
  min_gap_seconds?: number | null;
  /** Shortest time on screen, in seconds. Default: 0.833. */
  min_seconds?: number | null;
  /** Fewest words per minute of all captions together, while they are shown. Default: none. */
  min_words_per_minute?: number | null;
}

export interface VideoEvaluationAgentInputSpeech {
  /** Length in seconds. */
  seconds?: number | null;
  /** Number of words. */
  words?: number | null;
  /** Words per minute. */
  words_per_minute?: number | null;
}

export interface VideoEvaluationAgentOutput {
  /** Captions in figures; null without captions. */
  captions: Record<string, unknown> | null;
  /** How often each kind of finding occurs. */
  counts: Record<string, number>;
  /** What breaks a limit, the gravest first, and words that were found; at most 100. */
  findings: VideoEvaluationAgentOutputFindingsItem[];
  /** What the answer does not cover. */
  limitations: string[];
  /** Technical data of the headers; null without media. */
  media: Record<string, unknown> | null;
  /** 100 less what the findings take off, at least 0; at most 69 if a caption breaks a limit; null if nothing was checked. */
  score: number | null;
  /** The result in words. */
  summary: string;
  /** The spoken words; null unless everything was evaluated. */
  transcript: VideoEvaluationAgentOutputTranscript | null;
  /** `good` for a score of 70 or more, else `poor`; null if nothing was checked. */
  verdict: string | null;
}

export interface VideoEvaluationAgentOutputFindingsItem {
  /** The caption, from 1, in the order of the file. */
  cue?: number | null;
  /** What kind. */
  kind: string;
  /** The line of the captions, from 1. */
  line?: number | null;
  /** What is wrong. */
  message: string;
  /** The words that it is about. */
  quote?: string | null;
  /** high, medium, low, or info, which takes nothing off. */
  severity: string;
}

export interface VideoEvaluationAgentOutputTranscript {
  /** Sentiment, -1 to 1. */
  sentiment: number;
  /** Its main sentences. */
  summary: string;
  /** Number of words. */
  words: number;
}

/** Input and result of each bridge that is known here. */
export interface Bridges {
  "agent_card_verify": { input: AgentCardVerifyInput; result: AgentCardVerifyResult };
  "anomaly_detection": { input: AnomalyDetectionInput; result: AnomalyDetectionResult };
  "citation_check": { input: CitationCheckInput; result: CitationCheckResult };
  "classification": { input: ClassificationInput; result: ClassificationResult };
  "code_generation": { input: CodeGenerationInput; result: CodeGenerationResult };
  "code_metrics": { input: CodeMetricsInput; result: CodeMetricsResult };
  "data_profile": { input: DataProfileInput; result: DataProfileResult };
  "email_verification": { input: EmailVerificationInput; result: EmailVerificationResult };
  "entity_match": { input: EntityMatchInput; result: EntityMatchResult };
  "forecast": { input: ForecastInput; result: ForecastResult };
  "fraud_signal": { input: FraudSignalInput; result: FraudSignalResult };
  "html_extraction": { input: HtmlExtractionInput; result: HtmlExtractionResult };
  "iban_validation": { input: IbanValidationInput; result: IbanValidationResult };
  "keyword_extraction": { input: KeywordExtractionInput; result: KeywordExtractionResult };
  "language_detection": { input: LanguageDetectionInput; result: LanguageDetectionResult };
  "lead_score": { input: LeadScoreInput; result: LeadScoreResult };
  "media_probe": { input: MediaProbeInput; result: MediaProbeResult };
  "model_inference": { input: ModelInferenceInput; result: ModelInferenceResult };
  "model_price": { input: ModelPriceInput; result: ModelPriceResult };
  "pii_redaction": { input: PiiRedactionInput; result: PiiRedactionResult };
  "price_optimization": { input: PriceOptimizationInput; result: PriceOptimizationResult };
  "prompt_template": { input: PromptTemplateInput; result: PromptTemplateResult };
  "proof_of_work": { input: ProofOfWorkInput; result: ProofOfWorkResult };
  "sanctions_screen": { input: SanctionsScreenInput; result: SanctionsScreenResult };
  "security_scan": { input: SecurityScanInput; result: SecurityScanResult };
  "semantic_cache": { input: SemanticCacheInput; result: SemanticCacheResult };
  "sentiment_feed": { input: SentimentFeedInput; result: SentimentFeedResult };
  "summarization": { input: SummarizationInput; result: SummarizationResult };
  "tax_jar_lookup": { input: TaxJarLookupInput; result: TaxJarLookupResult };
  "token_count": { input: TokenCountInput; result: TokenCountResult };
  "translation": { input: TranslationInput; result: TranslationResult };
  "validation": { input: ValidationInput; result: ValidationResult };
  "vat_number_check": { input: VatNumberCheckInput; result: VatNumberCheckResult };
}

/** Input and result of each agent that is known here. */
export interface Agents {
  "analytics-anomaly-detection": { input: AnalyticsAnomalyDetectionAgentInput; result: AnalyticsAnomalyDetectionAgentOutput };
  "analytics:anomaly-detection": { input: AnalyticsAnomalyDetectionAgentInput; result: AnalyticsAnomalyDetectionAgentOutput };
  "analytics-forecast": { input: AnalyticsForecastAgentInput; result: AnalyticsForecastAgentOutput };
  "analytics:forecast": { input: AnalyticsForecastAgentInput; result: AnalyticsForecastAgentOutput };
  "classification": { input: ClassificationAgentInput; result: ClassificationAgentOutput };
  "code-review": { input: CodeReviewAgentInput; result: CodeReviewAgentOutput };
  "code:review": { input: CodeReviewAgentInput; result: CodeReviewAgentOutput };
  "coding": { input: CodingAgentInput; result: CodingAgentOutput };
  "compliance-audit": { input: ComplianceAuditAgentInput; result: ComplianceAuditAgentOutput };
  "compliance:audit": { input: ComplianceAuditAgentInput; result: ComplianceAuditAgentOutput };
  "data-aggregation": { input: DataAggregationAgentInput; result: DataAggregationAgentOutput };
  "data:aggregation": { input: DataAggregationAgentInput; result: DataAggregationAgentOutput };
  "data-extraction": { input: DataExtractionAgentInput; result: DataExtractionAgentOutput };
  "data:extraction": { input: DataExtractionAgentInput; result: DataExtractionAgentOutput };
  "data-validation": { input: DataValidationAgentInput; result: DataValidationAgentOutput };
  "data:validation": { input: DataValidationAgentInput; result: DataValidationAgentOutput };
  "general": { input: GeneralAgentInput; result: GeneralAgentOutput };
  "pricing-optimization": { input: PricingOptimizationAgentInput; result: PricingOptimizationAgentOutput };
  "pricing:optimization": { input: PricingOptimizationAgentInput; result: PricingOptimizationAgentOutput };
  "prompted": { input: Record<string, unknown>; result: PromptedAgentOutput };
  "research-citation": { input: ResearchCitationAgentInput; result: ResearchCitationAgentOutput };
  "research:citation": { input: ResearchCitationAgentInput; result: ResearchCitationAgentOutput };
  "sales-lead-scoring": { input: SalesLeadScoringAgentInput; result: SalesLeadScoringAgentOutput };
  "sales:lead-scoring": { input: SalesLeadScoringAgentInput; result: SalesLeadScoringAgentOutput };
  "sentiment": { input: SentimentAgentInput; result: SentimentAgentOutput };
  "summarization": { input: SummarizationAgentInput; result: SummarizationAgentOutput };
  "translation": { input: TranslationAgentInput; result: TranslationAgentOutput };
  "video-evaluation": { input: VideoEvaluationAgentInput; result: VideoEvaluationAgentOutput };
  "video:evaluation": { input: VideoEvaluationAgentInput; result: VideoEvaluationAgentOutput };
}
