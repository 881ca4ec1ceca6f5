import { STATUS_CODES } from 'node:http';

/** Words after a number that count something: `300 rows` and `120 ms` are no status codes. */
const counted =
  'ms|msec|s|sec|seconds?|minutes?|hours?|days?|bytes?|[kMG]i?B|%|of|x|times|rows?|items?|events?|records?|messages?|attempts?|retries|characters|chars|elements|entries|results|lines?|columns?|values?|files?|pages?|units?|points?';

/** Verbs and currencies after a number that is a value: `306 is not valid`, `120 EUR`. */
const valued = 'is|was|are|were|has|does|already|cannot|given|EUR|USD|GBP|CHF|JPY';

/** Words before a status code: `answered 503`, `failed with 503`, `returned a 503`. */
const answers =
  'answer(?:s|ed)?|respon(?:se|ds?|ded)|return(?:s|ed)?|repl(?:y|ies|ied)|got|gets|received|gave|says?|said|threw|throws|fail(?:s|ed|ure)?|reject(?:s|ed)?|refused|declined|code|error|SMTP|HTTP|status';

const statusCode = '[1-5]\\d\\d';

const phrases = Object.entries(STATUS_CODES).map(([code, phrase = '']) => `${code} ${phrase}(?!\\p{L})`);

const grpcNames =
  'CANCELLED|UNKNOWN|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS|UNAUTHENTICATED';

/**
 * Something between a name and its code: `status: 503`, `code="14"`, `SQLSTATE[23505]`, `status code was
 * 503`.
 */
const separator = `["']?(?:[ :=([]{0,3}|\\s(?:is|was|of)\\s)["']?`;

/**
 * Codes and versions in a message, as sources of a regular expression with the flags `giu`: they name a kind
 * of failure, unlike ids. A number from 100 to 599 counts as a status code only where messages have one.
 */
export const codePatterns: readonly string[] = [
  `\\b(?:HTTP(?:\\/\\d(?:\\.\\d)?)?|[\\p{L}_.-]{0,30}status(?:[ _-]?code)?|(?:error|response|result|return|exit|reply|reason|grpc|http|smtp|upstream)[ _-]?code|(?:os |win|sys|system )error|errno|exit|signal)${separator}-?\\d{1,5}\\b`,
  `\\b(?:status|code)\\s?[=:]\\s?["']?(?:\\d{1,3}(?!\\d)|\\p{L}[\\p{L}_.]{2,40}(?![\\p{L}\\p{N}_.-])["']?)`,
  `\\bSQL[ _-]?STATE${separator}[\\dA-Z]{5}\\b`,
  '\\b(?:ERROR|FATAL|PANIC):\\s{1,2}(?=[\\dA-Z]{0,4}\\d)[\\dA-Z]{5}(?=:)',
  '(?<=^|; )\\[?(?=[\\dA-Z]{0,4}\\d)(?-i:[\\dA-Z]{5})(?:\\]|(?=: \\p{L}))',
  // Codes of products: ORA-00001, TS2345, E11000, CS8602, PX-12.
  `\\b(?:(?-i:ORA|TNS|PLS|SQL|JDO|HHH|MSG|KB)-?|(?-i:DPI|NJS|DPY)-)\\d{3,5}\\b`,
  '(?<=^|\\s|\\[)(?-i:[EF]\\d{4,5})(?= \\p{L}|\\]:)',
  '\\b(?:curl error \\(?\\d{1,2}|error #?\\d{3,5})\\b',
  `(?<![\\p{L}\\p{N}_.#-])\\d{1,2} (?-i:${grpcNames})\\b`,
  // SMTP with its enhanced status: 550 5.1.1
  '\\b[245]\\d\\d[ -]#?[245]\\.\\d{1,3}\\.\\d{1,3}\\b',
  `(?=[1-5]\\d\\d )(?<![\\p{L}\\p{N}_.#-])(?-i:${phrases.join('|')})`,
  // The first word of a message, after an answer, and after an address.
  `(?=[1-5]\\d)(?<![\\p{L}\\p{N}_.,#=/-])${statusCode}(?![\\p{L}\\p{N}_/-]|[.,:]\\d)(?! ?(?:${counted})(?!\\p{L}))(?:(?<=^...)|(?<=\\b(?:${answers})(?: with| by| as| was| back)?(?: an?| status| code)?:? ...)|(?<=(?::\\/\\/|<path>|\\s\\/)[^\\s]{0,200}:? (?:[-=]> |→ )?...))`,
  // After a colon or an arrow, before words; in brackets by itself.
  `(?<=(?:[:;]|[-=]>|[–→]) )${statusCode}(?=[ -]\\p{L}|: )(?! ?(?:${counted}|${valued})(?!\\p{L}))`,
  '(?<=[(\\[])[45]\\d\\d(?=[)\\]])',
  // Versions: v2, order.created.v2, payments.v1.Payments/Charge, TLSv1.2, version 1.2
  '(?<![\\p{L}\\p{N}_./-])(?:[\\p{L}_][\\p{L}_-]{0,60}[./]){0,8}v\\d{1,3}(?:\\.\\d{1,4}){0,3}(?:[./][\\p{L}_][\\p{L}_-]{0,60}){0,8}(?![\\p{L}\\p{N}_/-]|\\.\\p{N})',
  '\\b(?:TLS|SSL|HTTP|Java|JDK|Node(?:\\.js)?|Python|Ruby|PHP|Kafka|PostgreSQL|MySQL|protocol|API|schema|version)[ /_]?(?:version )?v?\\d{1,4}(?:\\.\\d{1,4}){1,3}(?![\\p{L}\\p{N}_-])',
  '\\b(?:schema|protocol|API|format) version[ :=]{0,3}\\d{1,3}\\b',
  // Classes of errors, whose name may have a number: psycopg2.OperationalError, Mysql2::Error.
  `(?<![\\p{L}\\p{N}_.:-])(?:[\\p{L}_][\\p{L}\\p{N}_]{0,60}(?:\\.|::)){0,8}(?-i:\\p{Lu})?[\\p{L}\\p{N}_]{0,80}?(?-i:Exception|Error|Violation|Failure|Timeout|Fault)(?![\\p{L}\\p{N}_-])`,
  // Types by their width, and names of standards: Int32, System.Int64, f64, utf8, sha256, x509.
  '(?<![\\p{L}\\p{N}_-])(?:[\\p{L}_]{1,60}\\.){0,6}(?:u?int|float|double|i|u|f)(?:8|16|32|64|128)s?(?![\\p{L}\\p{N}_-])',
  '(?<![\\p{L}\\p{N}_-])(?:utf-?(?:8|16|32)|base-?64|sha-?\\d{1,3}|md5|x\\.?509|ipv[46]|oauth-?2|http2|iso-?8601|s3|k8s)(?![\\p{L}\\p{N}_-])',
];
