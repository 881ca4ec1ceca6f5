/** Words that say what a part of a message is, as alternatives of a regular expression. */

/** Before a quoted name: part of a program or of a schema. It is the same for all events that fail so. */
export const identifierNouns =
  'database|from|into|select|where|getter|setter|column|columns|key|keys|field|fields|propert(?:y|ies)|attributes?|constraint|relation|table|collection|reading|setting|read|index|parameters?|params?|argument|arguments|variable|method|function|class|type|object|module|package|namespace|member|operator|keyword|option|header|role|schema|element|entity|model|enum|name|named|import|export|missing|constant|procedure|trigger|sequence|view|queue|exchange|topic|stream|subscription|bucket|service|bean|dependency|component|plugin|template|partial|route|action|command|program|feature|flag|permission|scope|claim|extension|library|instance of|invoke|of|by|on|because|calling|call|assign|undefined|undeclared|unknown|unexpected|unrecognized|unresolved|required|duplicate|for key|key not found|invocation|列|表|字段|键|参数|属性|キー|フィールド|カラム|テーブル|パラメータ|Spalte|Tabelle|Feld|Schlüssel|Relation|colonne|champ|clé|columna|tabla|campo|clave|столбец|столбца|таблицы?|отношения';

/** After a quoted name: `"sku" is required`, `'NoneType' object has no attribute`. */
export const identifierPredicates =
  'is (?:a )?(?:required|missing|undefined|null|None|nil|empty|unknown|deprecated|read-?only|invalid|mandatory|abstract|private)(?! (?:value|for))|(?:is|was) not (?:defined|allowed|a function|a constructor|iterable|callable|assignable|subscriptable|configured|set|implemented|supported)|must (?:not )?(?:be|have|contain|match)|should (?:not )?(?:be|have|contain|match)|(?:cannot|can not|can.t|may not|can) be|(?:has|have) no|object|field|column|property|parameter|argument|attribute|table|relation|constraint|method|module|header|of (?:relation|table|type|object|class)|violates|not found in|=|:|=>';

/** Names of types and of nothing, which are no values. */
export const typeNames =
  'int|integer|long|float|double|decimal|number|bool|boolean|str|string|bytes|list|tuple|dict|set|array|object|map|date|datetime|function|undefined|null|nil|None|NoneType|Null|NULL|NaN|String|Int|Integer|Float|Bool|Boolean|Array|Hash|Symbol|NilClass|void|symbol|bigint|any|unknown';

/** Before a value, whatever it looks like: whom or what a single event is about. */
export const valueNouns =
  'entry|value|got|received|given|input|string|literal|text|content|email|e-mail|address|file|directory|folder|path|password|login|token|session|id|uuid|number|date|time|url|host|server|hostname|to|choice';

/** After a value: what happened to that one. */
export const valuePredicates =
  '(?:is|was) (?:already |currently )?(?:taken|in use|blocked|locked|closed|expired|used|gone|sold out|out of stock)|has (?:expired|been)|of type';

/** Names of single things: a word with a capital after it is a name, such as `customer Zoë Müller`. */
export const subjects =
  'customer|user|username|account|client|buyer|seller|vendor|supplier|employee|member|patient|driver|person|owner|author|recipient|sender|payee|payer|guest|tenant|merchant|organi[sz]ation|company|partner|item|sku|product|article|variant|size|colou?r|country|region|city|currency|language|locale|market|marketplace|warehouse|store|shop|branch|site|coupon|voucher|promotion|campaign|airport|ticker|symbol|bank|plate|vehicle|category|brand|order|invoice|shipment|parcel|ticket|booking|reservation|contract|policy|device|sensor|machine|room|seat|flight|station|postcode|zip code|postal code';

/** Words with a capital that are no name of a subject. */
export const noNames =
  'ID|Id|IDs|UUID|GUID|URL|URI|API|SDK|HTTP|JSON|XML|SQL|DB|IP|IO|SKU|SID|UI|VAT|Not|Does|Do|Is|Was|Were|Has|Have|Had|Can|Cannot|Could|Must|Should|Out|No|Name|Service|Already|Exists?|Missing|Invalid|Error|Failed|Limit|Type|Code|Status|Number|Data|Record|Key|Object|Field';

/** Members of an answer that say what is wrong. */
export const causeMembers =
  'errors?|errmsg|errcode|message|msg|text|decline_?code|reason_?code|sub_?code|error_?subcode|title|type|__type|@type|reason|code|error_?codes?|status|details?|description|desc|error_?description|error_?message|error_?type|path|fields?|param|parameter|property|pointer|loc|location|target|exception|fault|faultcode|faultstring';

/** Ports of well-known services: they say what could not be reached. */
export const servicePorts =
  '21|22|25|53|80|88|110|143|389|443|445|465|587|636|993|995|1433|1521|1883|2049|2181|2375|2379|3000|3306|3389|4222|4317|4318|5000|5432|5433|5671|5672|5984|6333|6379|6380|6432|6650|7000|7077|7474|7687|8000|8008|8080|8081|8086|8087|8123|8125|8200|8443|8500|8529|8888|9000|9042|9090|9092|9093|9094|9200|9300|9411|9418|10000|11211|15672|19092|25060|26257|26379|27017|27018|28015|50051|50052|61613|61616';
