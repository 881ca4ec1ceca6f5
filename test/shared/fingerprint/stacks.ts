/**
 * One failure as each language prints it; `n` stands for what differs from event to event and from build to
 * build.
 */
export const stacks: Record<
  string,
  {
    readonly print: (n: number) => string;
    /** The title and the causes with n = 7. */
    readonly titles: readonly string[];
    readonly frames: readonly string[];
  }
> = {
  Java: {
    print: (
      n,
    ) => `org.springframework.kafka.listener.ListenerExecutionFailedException: Listener method failed; key ${n}
\tat org.springframework.kafka.listener.KafkaListener.invoke(KafkaListener.java:${n})
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: com.acme.OrderNotFoundException: order ${n} not found
\tat com.acme.Orders.lambda$find$${n}(Orders.java:${n})
\tat com.acme.Orders.find(Orders.java:${n + 1}) ~[orders-1.${n}.jar:?]
\tat com.acme.Checkout$$EnhancerBySpringCGLIB$$${n}a.place(<generated>)
\tat java.base/java.util.Optional.map(Optional.java:260)
\t... 12 more`,
    titles: [
      'org.springframework.kafka.listener.ListenerExecutionFailedException: Listener method failed; key 7',
      'com.acme.OrderNotFoundException: order 7 not found',
    ],
    frames: ['com.acme.Orders.find', 'com.acme.Checkout.place'],
  },
  Node: {
    print: (n) => `Error: checkout failed
    at Shop.place (file:///app/dist/main.${n}a3bc1d.js:${n}:5) {
  [cause]: TypeError: Cannot read properties of undefined (reading 'id${n}')
      at new Order (/app/dist/main.${n}a3bc1d.js:${n}:${n})
      at async Shop.place [as run] (file:///app/dist/main.${n}a3bc1d.js:10:5)
      at /app/node_modules/express/lib/router.js:${n}:1
      at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
}`,
    titles: ['Error: checkout failed', "TypeError: Cannot read properties of undefined (reading 'id7')"],
    frames: ['Order@main.js', 'Shop.place@main.js'],
  },
  Python: {
    print: (n) => `Traceback (most recent call last):
  File "/srv/v${n}/orders.py", line ${n}, in find
    return self.orders[key]
  File "/usr/lib/python3.12/site-packages/cache.py", line 2, in get
    raise KeyError(key)
KeyError: 'order-${n}'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/v${n}/main.py", line 1, in main
    raise HandlerError(f"message ${n}") from error
HandlerError: message ${n}`,
    titles: ['HandlerError: message 7', "KeyError: 'order-7'"],
    frames: ['find@orders.py'],
  },
  Go: {
    print: (n) => `panic: order ${n} is nil

goroutine ${n} [running]:
panic({0x1, 0x2})
\t/usr/local/go/src/runtime/panic.go:770 +0x132
github.com/acme/shop/orders.(*Store).Place(0xc0000${n}, 0x1)
\t/go/src/shop/orders/store.go:${n} +0x1d
main.handle.func1.${n}({0xc000, 0x1})
\t/app/main.go:${n} +0x2
created by main.main in goroutine 1
\t/app/main.go:9 +0x3`,
    titles: ['panic: order 7 is nil'],
    frames: ['github.com/acme/shop/orders.(*Store).Place', 'main.handle'],
  },
  '.NET': {
    print: (n) => `System.AggregateException: One or more errors occurred. (order ${n})
 ---> Acme.OrderException: order ${n} timed out
   at Acme.Orders.<Place>d__${n}.MoveNext() in /src/Orders.cs:line ${n}
   at System.Threading.Tasks.Task.Wait(Int32 milliseconds)
   --- End of inner exception stack trace ---
   at Acme.Program.Main(String[] args)`,
    titles: [
      'System.AggregateException: One or more errors occurred. (order 7)',
      'Acme.OrderException: order 7 timed out',
    ],
    frames: ['Acme.Orders.Place'],
  },
  Ruby: {
    print: (n) => `/srv/${n}/app/models/order.rb:${n}:in 'Order#place': order ${n} is gone (Acme::GoneError)
\tfrom /srv/${n}/app/models/order.rb:${n}:in 'block (${n} levels) in Order#place'
\tfrom /usr/lib/ruby/gems/3.4/rack.rb:${n}:in 'call'
\tfrom /srv/${n}/app/jobs/checkout.rb:${n}:in \`perform'`,
    titles: ['Acme::GoneError: order 7 is gone'],
    frames: ['place@order.rb', 'perform@checkout.rb'],
  },
  PHP: {
    print: (n) => `Acme\\GoneException: order ${n} is gone in /srv/${n}/src/Orders.php:${n}
Stack trace:
#0 /srv/${n}/vendor/symfony/messenger/Worker.php(${n}): Symfony\\Component\\Messenger\\Worker->run()
#1 /srv/${n}/src/Checkout.php(${n}): App\\Orders->place(Object(App\\Order), ${n})
#2 [internal function]: call_user_func(Array)
#3 {main}`,
    titles: ['Acme\\GoneException: order 7 is gone'],
    frames: ['App\\Orders->place'],
  },
  Rust: {
    print: (n) => `thread 'worker-${n}' panicked at src/orders.rs:${n}:5:
order ${n} is gone
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90b35a6/library/std/src/panicking.rs:645:5
   1: core::panicking::panic_fmt
   2: shop::orders::place::{{closure}}
             at ./src/orders.rs:${n}:5
   3: tokio::runtime::task::core::Core<T,S>::poll`,
    titles: ['order 7 is gone'],
    frames: ['shop::orders::place'],
  },
  Elixir: {
    print: (n) => `** (Shop.GoneError) order ${n} is gone
    (ecto 3.${n}.0) lib/ecto/repo.ex:${n}: Ecto.Repo.get!/3
    (shop 0.${n}.0) lib/shop/orders.ex:${n}: Shop.Orders.place/2
    (stdlib 5.1) gen_server.erl:${n}: :gen_server.try_handle_info/3`,
    titles: ['Shop.GoneError: order 7 is gone'],
    frames: ['Shop.Orders.place'],
  },
};
