/** How one language prints a frame; the groups of `line` identify it without line numbers. */
export type FrameFormat = {
  /** With the flag m: some languages print the file in the line below. */
  readonly line: RegExp;
  readonly name: (groups: readonly (string | undefined)[]) => string;
  /** Matches frames of the language and of libraries. */
  readonly foreign: RegExp;
  readonly isLastFirst?: boolean;
};

/**
 * Formats in the order in which they are tried: the first one that has a frame is that of the stack. Every
 * part of a line has a bound, so that the time is linear.
 */
export const frameFormats: readonly FrameFormat[] = [
  {
    // Node: `    at async Shop.place (file:///app/src/orders.js:10:5)`, `    at /app/src/orders.js:10:5`
    line: /^ {0,8}at (?:async )?(?:(?:new )?(.{1,200}) \()?((?:file:\/\/|node:|webpack|https?:\/\/|[a-z]:\\|\.{0,2}\/|<anonymous>).{0,300}?)(?::\d+){2}\)?(?: \{)?$/gim,
    name: ([call = '', file = '']) => {
      const name = `${withoutMinified(call.replace(/ \[as .*$/, ''))}@${baseName(file)}`;
      return /^@\d*\.\w+$/.test(name) ? '' : name;
    },
    foreign: /node_modules|node:|\(internal\/|webpack\/(?:bootstrap|runtime)/,
  },
  {
    // Java, Kotlin, Scala: `	at java.base/java.lang.Thread.run(Thread.java:840)`, `at app//com.acme.Orders.place(...)`
    line: /^\s{0,8}at (?:[\w.@+-]{0,100}\/){0,3}([\p{L}\p{N}_.$<>]{1,300})\((?:[\w.$<>-]{1,200}(?::\d+)?|Native Method|Unknown Source)\)(?: ~?\[.{0,200}\])?$/gmu,
    name: ([method = '']) =>
      method
        .replace(/(?:lambda|\$anonfun)\$([^$.]*)\$\d+$/, '$1')
        .replace(/\$\$[^.]*/, '')
        .replace(/\$(?=\.)/, ''),
    foreign:
      /^\s*at (?:[\w.@+-]*\/){0,3}(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|clojure|groovy|akka|cats|zio|org\.(?:springframework|apache|hibernate|jboss|wildfly|eclipse|postgresql|slf4j|junit|codehaus)|io\.(?:netty|micronaut|quarkus|smallrye|grpc|vertx|ktor|lettuce|confluent)|reactor|com\.(?:google|fasterxml|zaxxer|mysql)|okhttp3|retrofit2|feign|redis\.clients)\./,
  },
  {
    // .NET: `   at Acme.Orders.<Place>d__12.MoveNext() in /src/Orders.cs:line 42`, in German `   bei ...`
    line: /^ {1,8}(?:at|bei|à|en|em|в|w|in|場所|在|위치:) ([^\s(]{1,300}) ?\([^\n]{0,300}\)(?: \p{L}{1,10} .{0,300})?\r?$/gmu,
    name: ([method = '']) =>
      method.replace(/<>c[^.]*\./, '').replace(/<(\w+)>[a-z]__[\w|]*(?:\.MoveNext)?/, '$1'),
    foreign:
      /^ +\S+ (?:System|Microsoft|MassTransit|NServiceBus|Npgsql|Newtonsoft|Polly|Dapper|MediatR|Grpc|Azure|Amazon)\./,
  },
  {
    // Python: `  File "/app/orders.py", line 42, in place`
    line: /^[ |]{1,16}File "(.{1,300})", line \d+, in (.{1,200})$/gm,
    name: ([file = '', call = '']) => `${call}@${baseName(file)}`,
    foreign: /site-packages|dist-packages|\/lib\/python|"<frozen/,
    isLastFirst: true,
  },
  {
    // Go: `main.(*Store).Place(0xc000012345, 0x1)` or `main.(*Store).Place`, its file in the line below
    line: /^((?:[\w.~@-]{1,100}\/){0,10}[\w-]{1,100}\.[\w.()*[\]]{1,200}?)(?:\([^()\n]{0,300}\)$|\n\t.{1,300}\.go:\d+)/gm,
    name: ([call = '']) => call.replaceAll(/\[\.\.\.\]|(?:\.func\d+)+(?:\.\d+)*$/g, ''),
    foreign:
      /^(?:runtime|panic|net|database|encoding|context|sync|testing|internal|errors|google\.golang\.org|golang\.org|gorm\.io|go\.uber\.org|github\.com\/(?:lib|jackc|pkg|redis|go-redis|gin-gonic|labstack|segmentio|IBM|Shopify|jmoiron))\b/,
  },
  {
    // Ruby: "app/models/order.rb:42:in `block (2 levels) in place'", since 3.4 "in 'Order#place'"
    line: /^\s{0,8}(?:from )?(.{1,300}?\.rb):\d+:in [`'](?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )?(.{1,200}?)'(?:: .*)?$/gm,
    name: ([file = '', call = '']) => `${call.replace(/^.*[#.]/, '')}@${baseName(file)}`,
    foreign: /\/gems\/|\/ruby\/\d|<internal:/,
  },
  {
    // PHP: `#0 /app/vendor/x/Worker.php(31): App\Orders->place(Object(Order))`, the call made in that line
    line: /^#\d{1,4} (?:.{1,300}?\(\d+\)|\[internal function\]): (.{1,300}?)\(.{0,300}$/gm,
    name: ([call = '']) => call,
    foreign:
      /: \\?(?:Illuminate|Symfony|Doctrine|GuzzleHttp|Monolog|Laravel|Psr|League|React|Amp|Predis|Composer|PHPUnit|Slim|Laminas|Yii|Cake|Twig|Sentry)\\|: (?:PDO|PDOStatement|mysqli|Redis|ReflectionMethod|Closure)->|\/vendor\/[^:]*: [^\\(]*\(|\]: \w+\(/,
  },
  {
    // Rust: `   3: shop::orders::place`, its file in the line below; with a hash or an address in older ones
    line: /^\s{0,6}\d{1,4}:\s{1,5}(?:0x[\da-f]{1,16} - )?((?!0x)[\p{L}_<{][^\n]{0,300}?)(?:::h[\da-f]{16})?$(?=(\n\s{1,20}at .{1,300})?)/gmu,
    name: ([call = '']) => call.replaceAll(/::\{(?:\{closure\}|closure(?:#\d+)?)\}/g, ''),
    foreign:
      /:\s+(?:0x[\da-f]+ - )?<?&?(?:mut )?(?:std|core|alloc|tokio|hyper|hyper_util|futures\w*|axum|tower\w*|tonic|reqwest|sqlx|diesel|serde\w*|anyhow|eyre|actix\w*|rdkafka|tracing\w*|backtrace|panic_unwind)(?:::| as)|rust_begin_unwind|rust_panic|__rust|_start|__libc|clone3?\b/,
  },
  {
    // Elixir: `    (shop 0.1.0) lib/shop/orders.ex:12: Shop.Orders.place/2`
    line: /^\s{1,8}(?:\(([\w.-]{1,60})(?: [^)\n]{1,60})?\) )?[\w/.-]{1,200}\.(?:exs?|erl|[hl]?eex):\d+: (.{1,200})$/gm,
    name: ([, call = '']) => call.replace(/^anonymous fn\/\d+ in /, '').replace(/\/\d+$/, ''),
    foreign:
      /^\s+\((?:elixir|stdlib|kernel|erts|ecto\w*|db_connection|postgrex|myxql|phoenix\w*|plug\w*|bandit|broadway\w*|gen_stage|oban|tesla|finch|mint|req|jason|telemetry|ex_unit)[ )]/,
  },
  {
    // Erlang: `{orders,place,2,[{file,"src/orders.erl"},{line,12}]}`, `in function  orders:place/2 (...)`
    line: /\{([a-z]\w{0,80}),'?([^\s,'{}]{1,80})'?,(?:\d{1,3}|\[[^\]]{0,200}\]),\[(?=[\]{])|^\s{0,8}in (?:function|call from)\s{1,4}([a-z]\w{0,80}):([^\s/]{1,80})\/\d+/gm,
    name: ([module, call, other = '', called = '']) => `${module ?? other}:${call ?? called}`,
    foreign:
      /^[^a-z]*(?:in (?:function|call from)\s+)?\{?(?:gen_\w+|proc_lib|supervisor|erlang|lists|maps|ets|timer|application|rpc|ssl|inets|httpc|io|file|binary|cowboy\w*|ranch\w*|hackney\w*|epgsql\w*|brod\w*|poolboy)\b/,
  },
  {
    // Dart: `#0      OrderService.place (package:shop/orders.dart:12:5)`
    line: /^#\d{1,4}\s{1,8}(.{1,200}) \(((?:dart:|package:|file:).{1,300}?)(?::\d+){0,2}\)$/gm,
    name: ([call = '', file = '']) =>
      `${call.replaceAll('.<anonymous closure>', '').replace(/^new /, '')}@${baseName(file)}`,
    foreign:
      /\(dart:|\(package:(?:flutter|http|dio|shelf\w*|postgres|riverpod|bloc|test|async|grpc|googleapis)\//,
  },
  {
    // Swift: `1   Shop   0x0000000104 Shop.OrderStore.place(_:) + 123`, `0: 0x.. place(_:) at /src/x.swift:12`
    line: /^\s{0,4}\d{1,4}:?\s{1,8}(?:(\S{1,100})\s{1,60})?0x[\da-f]{1,16} (?:- )?(.{1,300}?)(?: \+ \d+|(?: in \S+)? at .{1,300})(?: in .{1,300})?$/gm,
    name: ([, call = '']) => call.replace(/ (?:async )?throws.*$| -> .*$/, ''),
    foreign:
      /\blib(?:swift|system|dispatch|c|pthread)\w*|Foundation|NIO\w*|Vapor|\.build\/checkouts|CoreFoundation|UIKit/,
  },
  {
    // Perl: `Shop::Orders::place('Shop::Orders=HASH(0x1)', 12) called at /app/bin/worker.pl line 12`
    line: /^\s{0,8}([\w:]{1,200})\(.{0,300}\) called at .{1,300} line \d+\.?$/gm,
    name: ([call = '']) => call,
    foreign: /^\s*(?:DBI|DBD|Moose|Try|Carp|LWP|HTTP|Mojo|Dancer|Catalyst|Plack|AnyEvent)\w*::/,
  },
];

/** Minifiers give names of one or two letters to functions and objects, others in each build. */
function withoutMinified(call: string): string {
  return call.replaceAll(/(?:^|(?<=[ .]))[\w$]{1,2}(?:\.|$)/g, '');
}

/**
 * Returns the file name without its folder, which differs between machines, and without the hash of a
 * bundler.
 */
function baseName(file: string): string {
  const [name = ''] = file.replaceAll('\\', '/').split('/').slice(-1);
  return name.replace(/[.-][\da-f]{6,}(?=\.)/, '').replace(/[?#].*$/, '');
}
