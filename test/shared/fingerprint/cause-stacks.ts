/** Stacks as each language prints them, with a frame of the application; `causes.ts` has the placeholders. */

export const php = (call: string, thrown: string) =>
  `RuntimeException: bad state in /srv/{n}/src/${thrown}.php:{n}\nStack trace:\n#0 /srv/{n}/vendor/symfony/messenger/Worker.php({n}): Symfony\\Component\\Messenger\\Worker->run()\n#1 /srv/{n}/src/Run.php({n}): ${call}(Object(App\\Order), {n})\n#2 {main}`;
export const rust = (name: string) =>
  `thread 'worker-{n}' panicked at src/lib.rs:{n}:5:\nindex out of bounds\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/{hex}/library/std/src/panicking.rs:{n}:5\n   1: core::panicking::panic_fmt\n   2: ${name}\n             at ./src/lib.rs:{n}:5\n   3: tokio::runtime::task::core::Core<T,S>::poll`;
export const elixir = (call: string) =>
  `** (RuntimeError) closed\n    (ecto 3.{n}.0) lib/ecto/repo.ex:{n}: Ecto.Repo.get!/3\n    (shop 0.{n}.0) lib/shop/orders.ex:{n}: ${call}\n    (stdlib 5.1) gen_server.erl:{n}: :gen_server.try_handle_info/3`;
export const erlang = (module: string) =>
  `[{gen_server,call,2,[{file,"gen_server.erl"},{line,{n}}]},{${module},place,2,[{file,"/build/{n}/src/${module}.erl"},{line,{n}}]},{proc_lib,init_p_do_apply,3,[{file,"proc_lib.erl"},{line,{n}}]}]`;
export const dart = (call: string) =>
  `#0      _HashMap.[] (dart:collection-patch/map.dart:{n}:5)\n#1      ${call} (package:shop/orders.dart:{n}:12)\n<asynchronous suspension>\n#2      main (file:///app/{n}/bin/main.dart:{n}:3)`;
export const perl = (call: string) =>
  `closed at /app/{n}/lib/Shop/Store.pm line {n}.\n\tDBI::db::do('DBI::db=HASH(0x{hex})', 'x') called at /usr/share/perl5/DBI.pm line {n}\n\t${call}('Shop::Store=HASH(0x{hex})', {n}) called at /app/{n}/bin/worker.pl line {n}\n\teval {...} called at /app/{n}/bin/worker.pl line {n}`;
export const swift = (call: string) =>
  `0   libswiftCore.dylib                  0x{hex} _swift_runtime_on_report + {n}\n1   Shop                                0x{hex} ${call} + {n}\n2   libdispatch.dylib                   0x{hex} _dispatch_call_block_and_release + {n}`;
export const goErrors = (call: string) =>
  `connection closed\ngithub.com/lib/pq.(*conn).exec\n\t/go/pkg/mod/github.com/lib/pq@v1.10.{n}/conn.go:{n}\n${call}\n\t/build/{n}/store.go:{n}\nmain.main\n\t/build/{n}/main.go:{n}\nruntime.main\n\t/usr/local/go/src/runtime/proc.go:{n}`;
export const group = (call: string) =>
  `  + Exception Group Traceback (most recent call last):\n  |   File "/srv/{n}/main.py", line {n}, in run\n  |     async with asyncio.TaskGroup() as tg:\n  | ExceptionGroup: unhandled errors in a TaskGroup ({1 sub-exception|2 sub-exceptions|1 sub-exception|3 sub-exceptions})\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File "/srv/{n}/tasks.py", line {n}, in ${call}\n    |     raise ValueError("closed")\n    | ValueError: closed\n    +------------------------------------`;
export const suppressed = (call: string) =>
  `java.io.IOException: broken pipe\n\tat app//com.acme.${call}(Store.java:{n})\n\tat java.base@21.0.{n}/java.lang.Thread.run(Thread.java:{n})\n\tSuppressed: java.lang.RuntimeException: close {n}\n\t\tat com.acme.Close.close(Close.java:{n})\n\t\tat com.acme.Pool.lambda$x$\u007bn}(Pool.java:{n})`;
export const dotnet = (method: string, at = 'at') =>
  `System.InvalidOperationException: closed\n   ${at} Microsoft.Data.Client.Open(Int32 n)\n   ${at} Acme.Orders.<${method}>d__{n}.MoveNext() in C:\\b\\{n}\\Orders.cs:line {n}\n--- End of stack trace from previous location ---\n   ${at} Acme.Program.<>c__DisplayClass{n}_0.<Main>b__{n}(Object o)`;
export const bundle = (call: string) =>
  `Error: closed\n    at {min} (/app/.next/server/chunks/{n}.js:{n}:{n})\n    at async {min}.${call} (webpack://shop/./src/orders.{hex}.js?:{n}:{n})\n    at async Promise.all (index {n})`;
export const scala = (call: string) =>
  `java.lang.IllegalStateException: closed\n\tat scala.collection.immutable.List.map(List.scala:{n})\n\tat com.acme.Orders$.$anonfun$${call}$\u007bn}(Orders.scala:{n})\n\tat com.acme.Orders$$$Lambda$\u007bn}/0x{hex}.apply(Unknown Source)`;
export const aggregate = (port: number) =>
  `AggregateError [ECONNREFUSED]: \n    at internalConnectMultiple (node:net:{n}:18) {\n  code: 'ECONNREFUSED',\n  [errors]: [\n    Error: connect ECONNREFUSED {::1|127.0.0.1|::1|127.0.0.1}:${port}\n        at createConnectionError (node:net:{n}:14) {\n      errno: -111\n    },\n    Error: connect ETIMEDOUT 10.0.0.{n}:${port}\n        at open (file:///app/{n}/open{min}.js:{n}:1)\n  ]\n}`;
export const traceback = (field: string) =>
  `Traceback (most recent call last):\n  File "/srv/{n}/orders.py", line {n}, in place\n    Order(**data)\n    ~~~~~^^^^^^^^\npydantic_core._pydantic_core.ValidationError: 1 validation error for Order\n${field}\n  Field required [type=missing, input_value=None, input_type=NoneType]\n    For further information visit https://errors.pydantic.dev/2.7/v/missing`;
