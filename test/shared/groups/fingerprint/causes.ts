import {
  bundle,
  dart,
  dotnet,
  elixir,
  erlang,
  goErrors,
  group,
  perl,
  php,
  rust,
  scala,
  suppressed,
  swift,
} from './cause-stacks.ts';

/**
 * Causes in the words of libraries and runtimes, most of them with a neighbor of like words. In class, message
 * and stack, `{n}` is a number, `{id}` a UUID, `{ip}` an address, `{host}` a host, `{person}` a name, `{word}`
 * a word, `{caps}` a code in capitals, `{hex}` hexadecimal digits and `{min}` a minified name of one event.
 * Alternatives of a language are `{a|b}`.
 */
export type KnownCause = {
  readonly cause: string;
  readonly errorClass?: string;
  readonly message?: string;
  readonly stack?: string;
};

const cause = (cause: string, errorClass: string, message: string, stack = ''): KnownCause => {
  return {
    cause,
    ...(errorClass !== '' && { errorClass }),
    ...(message !== '' && { message }),
    ...(stack !== '' && { stack }),
  };
};

const mongo =
  'E11000 duplicate key error collection: shop.orders index: {INDEX} dup key: { {FIELD}: "{word}-{n}" }';
const prisma =
  '\nInvalid `db.order.create()` invocation in\n/app/{hex}/orders.js:{n}:7\n\nUnique constraint failed on the fields: (`{FIELD}`)';
const alchemy =
  '(psycopg2.errors.ForeignKeyViolation) insert or update on table "{TABLE}" violates foreign key constraint "{TABLE}_customer_id_fkey"\nDETAIL:  Key (customer_id)=({n}) is not present in table "customers".\n\n[SQL: INSERT INTO {TABLE} VALUES (%(id)s)]\n[parameters: {\'id\': {n}}]';
const fill = (text: string, values: Readonly<Record<string, string>>) =>
  Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, value), text);

/** In turns: two of three were looked at while the rules were made, each third one was not. */
export const causes: readonly KnownCause[] = [
  cause('mongo-email', 'MongoServerError', fill(mongo, { INDEX: 'email_1', FIELD: 'email' })),
  cause('mongo-number', 'MongoServerError', fill(mongo, { INDEX: 'number_1', FIELD: 'number' })),
  cause('py-unpack-few', 'ValueError', 'not enough values to unpack (expected 2, got {n})'),
  cause('prisma-email', 'PrismaClientKnownRequestError', fill(prisma, { FIELD: 'email' })),
  cause('prisma-number', 'PrismaClientKnownRequestError', fill(prisma, { FIELD: 'number' })),
  cause('alchemy-orders', 'sqlalchemy.exc.IntegrityError', fill(alchemy, { TABLE: 'orders' })),
  cause('alchemy-refunds', 'sqlalchemy.exc.IntegrityError', fill(alchemy, { TABLE: 'refunds' })),
  cause('php-frames-a', 'RuntimeException', 'bad state', php('App\\Orders->place', 'Orders')),
  cause('php-frames-b', 'RuntimeException', 'bad state', php('App\\Refunds->pay', 'Refunds')),
  cause(
    'rust-frames-a',
    '',
    'index out of bounds: the len is {n} but the index is {n}',
    rust('shop::orders::place'),
  ),
  cause(
    'rust-frames-b',
    '',
    'index out of bounds: the len is {n} but the index is {n}',
    rust('<shop::refunds::Pay as shop::Job>::run'),
  ),
  cause('elixir-frames-a', 'RuntimeError', 'closed', elixir('Shop.Orders.place/2')),
  cause('elixir-frames-b', 'RuntimeError', 'closed', elixir('anonymous fn/{n} in Shop.Refunds.pay/1')),
  cause('erlang-frames-a', '', '{badmatch,{error,timeout}}', erlang('orders')),
  cause('erlang-frames-b', '', '{badmatch,{error,timeout}}', erlang('refunds')),
  cause('erlang-nxdomain', '', '{badmatch,{error,nxdomain}}', erlang('orders')),
  cause('dart-frames-a', '', 'Bad state: No element', dart('OrderService.place')),
  cause('dart-frames-b', '', 'Bad state: No element', dart('RefundService.pay.<anonymous closure>')),
  cause('perl-frames-a', '', 'closed at /app/{n}/lib/Shop/Store.pm line {n}.', perl('Shop::Store::place')),
  cause('perl-frames-b', '', 'closed at /app/{n}/lib/Shop/Store.pm line {n}.', perl('Shop::Store::refund')),
  cause(
    'swift-frames-a',
    '',
    'Fatal error: Index out of range',
    swift('Shop.OrderStore.place(_:) throws -> ()'),
  ),
  cause(
    'swift-frames-b',
    '',
    'Fatal error: Index out of range',
    swift('Shop.RefundStore.pay(_:) throws -> ()'),
  ),
  cause('go-errors-a', '', 'connection closed', goErrors('github.com/acme/shop/orders.(*Store).Place')),
  cause('go-errors-b', '', 'connection closed', goErrors('github.com/acme/shop/refunds.(*Store).Pay')),
  cause('py-group-a', 'ExceptionGroup', 'unhandled errors in a TaskGroup (1 sub-exception)', group('place')),
  cause('py-group-b', 'ExceptionGroup', 'unhandled errors in a TaskGroup (1 sub-exception)', group('refund')),
  cause('java-loader-a', 'java.io.IOException', 'broken pipe', suppressed('Orders.place')),
  cause('java-loader-b', 'java.io.IOException', 'broken pipe', suppressed('Refunds.pay')),
  cause('net-async-a', 'System.InvalidOperationException', 'closed', dotnet('PlaceAsync')),
  cause(
    'net-async-b',
    'System.InvalidOperationException',
    'closed',
    dotnet('RefundAsync', '{bei|at|at|bei}'),
  ),
  cause('node-bundle-a', 'Error', 'closed', bundle('place')),
  cause('node-bundle-b', 'Error', 'closed', bundle('refund')),
  cause('scala-a', 'java.lang.IllegalStateException', 'closed', scala('place')),
  cause('scala-b', 'java.lang.IllegalStateException', 'closed', scala('refund')),
  cause(
    'go-decode-field',
    '',
    'json: cannot unmarshal string into Go struct field Order.lines.qty of type int',
  ),
  cause(
    'go-decode-price',
    '',
    'json: cannot unmarshal string into Go struct field Order.lines.price of type int64',
  ),
  cause(
    'go-lookup',
    '',
    'Post "https://psp.example/v1/charges/{n}": dial tcp: lookup psp.example on {ip}:53: no such host',
  ),
  cause('go-refused-kafka', '', 'write message {id}: dial tcp {ip}:9092: connect: connection refused'),
  cause('go-refused-postgres', '', 'write message {id}: dial tcp {ip}:5432: connect: connection refused'),
  cause(
    'py-refused-redis',
    'redis.exceptions.ConnectionError',
    'Error 111 connecting to {ip}:6379. Connection refused.',
  ),
  cause('py-import-a', 'ModuleNotFoundError', "No module named 'stripe'"),
  cause('py-import-b', 'ModuleNotFoundError', "No module named 'redis.asyncio'"),
  cause('py-type-arg', 'TypeError', "place() missing 1 required positional argument: 'currency'"),
  cause('py-type-arg-b', 'TypeError', "place() got an unexpected keyword argument 'currency'"),
  cause('py-float', 'ValueError', "could not convert string to float: '{word}'"),
  cause('py-int', 'ValueError', "invalid literal for int() with base 10: '{word}'"),
  cause('py-enum', 'ValueError', "'{word}' is not a valid OrderState"),
  cause(
    'py-decode',
    'UnicodeDecodeError',
    "'utf-8' codec can't decode byte 0x{hex} in position {n}: invalid start byte",
  ),
  cause('node-undefined-a', 'TypeError', "Cannot read properties of undefined (reading 'price')"),
  cause('node-undefined-b', 'TypeError', "Cannot read properties of undefined (reading 'customer')"),
  cause('node-null', 'TypeError', "Cannot read properties of null (reading 'price')"),
  cause('node-fn', 'TypeError', '{min}.trim is not a function'),
  cause('node-joi-a', 'ValidationError', '"sku" is required'),
  cause('node-joi-b', 'ValidationError', '"qty" must be a number'),
  cause('node-ajv', 'Error', "data/items/{n} must have required property 'sku'"),
  cause('node-module', 'Error', "Cannot find module './handlers/refund'"),
  cause(
    'java-jackson-a',
    'com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException',
    'Unrecognized field "vat" (class com.acme.Order), not marked as ignorable (7 known properties: "id", "total"])\n at [Source: (String)"{"id":{n}}"; line: 1, column: {n}]',
  ),
  cause(
    'java-jackson-b',
    'com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException',
    'Unrecognized field "tip" (class com.acme.Order), not marked as ignorable (7 known properties: "id", "total"])\n at [Source: (String)"{"id":{n}}"; line: 1, column: {n}]',
  ),
  cause(
    'java-cast',
    'java.lang.ClassCastException',
    "class java.lang.String cannot be cast to class java.lang.Integer (java.lang.String and java.lang.Integer are in module java.base of loader 'bootstrap')",
  ),
  cause('java-refused', 'java.net.ConnectException', 'Connection refused: {host}/{ip}:9200'),
  cause(
    'java-oracle-a',
    'java.sql.SQLException',
    'ORA-01400: cannot insert NULL into ("SHOP"."ORDERS"."TOTAL")',
  ),
  cause(
    'java-oracle-b',
    'java.sql.SQLException',
    'ORA-01400: cannot insert NULL into ("SHOP"."ORDERS"."EMAIL")',
  ),
  cause(
    'java-kafka-size',
    'org.apache.kafka.common.errors.RecordTooLargeException',
    'The message is {n} bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.',
  ),
  cause(
    'net-sql-dup-a',
    'Microsoft.Data.SqlClient.SqlException',
    "Violation of UNIQUE KEY constraint 'UQ_Orders_Number'. Cannot insert duplicate key in object 'dbo.Orders'. The duplicate key value is ({word}-{n}).",
  ),
  cause(
    'net-sql-dup-b',
    'Microsoft.Data.SqlClient.SqlException',
    "Violation of UNIQUE KEY constraint 'UQ_Users_Email'. Cannot insert duplicate key in object 'dbo.Users'. The duplicate key value is ({word}@x.example).",
  ),
  cause(
    'net-di',
    'System.InvalidOperationException',
    "Unable to resolve service for type 'Acme.IPricing' while attempting to activate 'Acme.OrderHandler'.",
  ),
  cause(
    'net-di-b',
    'System.InvalidOperationException',
    "Unable to resolve service for type 'Acme.IStock' while attempting to activate 'Acme.OrderHandler'.",
  ),
  cause(
    'net-json-32',
    'System.Text.Json.JsonException',
    'The JSON value could not be converted to System.Int32. Path: $.n | LineNumber: {n} | BytePositionInLine: {n}.',
  ),
  cause(
    'net-json-64',
    'System.Text.Json.JsonException',
    'The JSON value could not be converted to System.Int64. Path: $.n | LineNumber: {n} | BytePositionInLine: {n}.',
  ),
  cause(
    'net-localized',
    'Npgsql.PostgresException',
    '42703: {column "vat" does not exist|Spalte »vat« existiert nicht|столбец "vat" не существует|la colonne « vat » n’existe pas}',
  ),
  cause('ruby-nomethod-a', 'NoMethodError', "undefined method {`|'|`|'}total' for nil"),
  cause('ruby-nomethod-b', 'NoMethodError', "undefined method {`|'|`|'}email' for nil"),
  cause('ruby-keyerror', 'KeyError', 'key not found: "sku"'),
  cause('ruby-keyerror-b', 'KeyError', 'key not found: "qty"'),
  cause('ruby-invalid', 'ActiveRecord::RecordInvalid', "Validation failed: Email can't be blank"),
  cause('php-undefined-a', 'ErrorException', 'Undefined property: stdClass::$total'),
  cause('php-undefined-b', 'ErrorException', 'Undefined property: stdClass::$email'),
  cause(
    'php-type',
    'TypeError',
    'App\\Pricing::of(): Argument #1 ($order) must be of type App\\Order, null given, called in /srv/{n}/src/Run.php on line {n}',
  ),
  cause(
    'php-42s22-a',
    'PDOException',
    "SQLSTATE[42S22]: Column not found: 1054 Unknown column 'vat' in 'field list'",
  ),
  cause(
    'php-42s22-b',
    'PDOException',
    "SQLSTATE[42S22]: Column not found: 1054 Unknown column 'tip' in 'field list'",
  ),
  cause('rust-unknown-a', '', 'unknown field `vat`, expected one of `id`, `total` at line {n} column {n}'),
  cause('rust-unknown-b', '', 'unknown field `tip`, expected one of `id`, `total` at line {n} column {n}'),
  cause('rust-os-error', '', 'Connection refused (os error 111)'),
  cause('rust-os-reset', '', 'Connection reset by peer (os error 104)'),
  cause('elixir-key-a', 'KeyError', 'key :vat not found in: %{id: {n}, total: {n}}'),
  cause('elixir-key-b', 'KeyError', 'key :tip not found in: %{id: {n}, total: {n}}'),
  cause('elixir-match-a', 'MatchError', 'no match of right hand side value: {:error, :timeout}'),
  cause('elixir-match-b', 'MatchError', 'no match of right hand side value: {:error, :closed}'),
  cause(
    'answer-google-a',
    '',
    'HTTP 429: {"error":{"code":429,"message":"Quota exceeded for quota metric \'Writes\'","status":"RESOURCE_EXHAUSTED"}}',
  ),
  cause(
    'answer-google-b',
    '',
    'HTTP 429: {"error":{"code":429,"message":"Too many concurrent requests","status":"RESOURCE_EXHAUSTED"}}',
  ),
  cause(
    'answer-aws-a',
    '',
    'HTTP 400: <?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>The token has expired</Message><RequestId>{hex}</RequestId></Error>',
  ),
  cause(
    'answer-aws-b',
    '',
    'HTTP 400: <?xml version="1.0"?><Error><Code>InvalidRequest</Code><Message>Missing header</Message><RequestId>{hex}</RequestId></Error>',
  ),
  cause(
    'answer-graphql-a',
    '',
    'HTTP 200: {"errors":[{"message":"Field \'vat\' is not defined","path":["order"],"extensions":{"code":"BAD_INPUT"}}],"trace":"{hex}"}',
  ),
  cause(
    'answer-graphql-b',
    '',
    'HTTP 200: {"errors":[{"message":"Not authorized","path":["order"],"extensions":{"code":"FORBIDDEN"}}],"trace":"{hex}"}',
  ),
  cause('answer-fields-a', '', 'HTTP 422: {"errors":[{"field":"sku","code":"required"}],"id":"{id}"}'),
  cause('answer-fields-b', '', 'HTTP 422: {"errors":[{"field":"qty","code":"required"}],"id":"{id}"}'),
  cause('ko-missing', '', '주문 {n}을 찾을 수 없습니다'),
  cause('ko-blocked', '', '고객 {n}은 이용이 정지되었습니다'),
  cause('zh-missing', '', '订单{n}不存在'),
  cause('zh-stock', '', '商品{n}库存不足'),
  cause('ja-port', '', '{ip}:6379に接続できません'),
  cause('ja-database', '', '{ip}:5432に接続できません'),
  cause('words-coupon', 'CouponError', 'coupon {caps} has expired'),
  cause('words-route', 'ShippingError', 'no carrier serves country {country}'),
  cause('words-rate', 'RateError', 'no rate from {currency} to {currency}'),
  cause('words-person', 'UserError', 'user {person} has no permission to refund'),
  cause('words-person-b', 'UserError', 'user {person} has no permission to ship'),
  cause('words-sku', 'StockError', 'not enough stock for {caps}-{caps}'),
];
