/** Frames of the application that are compared; their callers are mostly the same for all failures. */
const maxFrames = 5;
const maxLine = 500;

type Frame = { readonly name: string; readonly isOwn: boolean };

/** How one language prints a frame; the groups of `line` identify it without line numbers. */
type Format = {
  readonly line: RegExp;
  readonly name: (groups: readonly (string | undefined)[]) => string;
  /** Matches lines of the language and of libraries. */
  readonly foreign: RegExp;
  readonly isLastFirst?: boolean;
};

const formats: readonly Format[] = [
  {
    // Node: `    at async Shop.place (file:///app/src/orders.js:10:5)`, `    at /app/src/orders.js:10:5`
    line: /^ {0,8}at (?:async )?(?:(?:new )?(.{1,200}) \()?((?:file:\/\/|node:|[a-z]:\\|\/|<anonymous>).{0,300}?)(?::\d+){2}\)?$/i,
    name: ([call = '', file = '']) => `${call.replace(/ \[as .*$/, '')}@${baseName(file)}`,
    foreign: /node_modules|node:|\(internal\//,
  },
  {
    // Java, Kotlin, Scala: `	at java.base/java.lang.Thread.run(Thread.java:840)`
    line: /^\s{0,8}at (?:[\w.@-]{1,100}\/){0,2}([\w.$<>]{1,300})\((?:[\w.$<>-]{1,200}(?::\d+)?|Native Method|Unknown Source)\)(?: ~?\[.{0,200}\])?$/,
    name: ([method = '']) => method.replace(/lambda\$([^$]*)\$\d+$/, '$1').replace(/\$\$[^.]*/, ''),
    foreign:
      /^\s*at (?:[\w.@-]+\/){0,2}(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|org\.springframework|org\.apache|org\.hibernate|io\.netty|io\.micronaut|io\.quarkus|io\.smallrye|io\.grpc|reactor|com\.google|com\.fasterxml|org\.jboss|okhttp3|org\.postgresql)\./,
  },
  {
    // .NET: `   at Acme.Orders.<Place>d__12.MoveNext() in /src/Orders.cs:line 42`
    line: /^ {1,8}at ([^\s(][^(]{0,300})\(.{0,300}\)(?: in .{0,300})?$/,
    name: ([method = '']) => method,
    foreign: /^ +at (?:System|Microsoft|MassTransit|NServiceBus|Npgsql)\./,
  },
  {
    // Python: `  File "/app/orders.py", line 42, in place`
    line: /^ {1,8}File "(.{1,300})", line \d+, in (.{1,200})$/,
    name: ([file = '', call = '']) => `${call}@${baseName(file)}`,
    foreign: /site-packages|dist-packages|\/lib\/python|"<frozen/,
    isLastFirst: true,
  },
  {
    // Go: `main.(*Store).Place(0xc000012345, 0x1)`, its file in the line below
    line: /^((?:[\w.~-]{1,100}\/){0,10}[\w-]{1,100}\.[\w.()*[\]]{1,200})\([^()]{0,300}\)$/,
    name: ([call = '']) => call.replaceAll(/\[\.\.\.\]|(?:\.func\d+)+(?:\.\d+)*$/g, ''),
    foreign: /^(?:runtime|panic|net|database|encoding|context|sync|testing|internal|google\.golang\.org)\b/,
  },
  {
    // Ruby: "app/models/order.rb:42:in `block (2 levels) in place'", since 3.4 "in 'Order#place'"
    line: /^\s{0,8}(?:from )?(.{1,300}?\.rb):\d+:in [`'](?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )?(.{1,200}?)'(?:: .*)?$/,
    name: ([file = '', call = '']) => `${call.replace(/^.*[#.]/, '')}@${baseName(file)}`,
    foreign: /\/gems\/|\/ruby\/\d|<internal:/,
  },
];

/**
 * Returns up to five topmost frames of a stack, those of the application if there are any, without line
 * numbers, folders, counters of lambdas and repetitions: the same failure has the same frames in the next
 * build of the application.
 */
export function findFrames(stack: string): string[] {
  const frames = readFrames(stack);
  const own = frames.filter(({ isOwn }) => isOwn);
  return (own.length > 0 ? own : frames)
    .map(({ name }) => name)
    .filter((name, i, names) => name !== names[i - 1])
    .slice(0, maxFrames);
}

/**
 * Returns the topmost frame of the application; undefined if the stack has only frames of libraries, or none.
 */
export function findOwnFrame(stack: string): string | undefined {
  return readFrames(stack).find(({ isOwn }) => isOwn)?.name;
}

/** Whether a line of a stack is a frame of the application or of a library; undefined for any other line. */
export function frameOf(line: string): 'own' | 'library' | undefined {
  if (line.length > maxLine) return undefined;
  const [frame] = formats.flatMap((format) => readFrame(format, line));
  return frame && (frame.isOwn ? 'own' : 'library');
}

function readFrames(stack: string): Frame[] {
  const lines = stack.split(/\r?\n/).filter((line) => line.length <= maxLine);
  const format = formats.find(({ line }) => lines.some((each) => line.test(each)));
  const frames = format ? lines.flatMap((line) => readFrame(format, line)) : [];
  return format?.isLastFirst ? frames.reverse() : frames;
}

function readFrame({ line: pattern, name, foreign }: Format, line: string): Frame[] {
  const found = pattern.exec(line);
  if (!found) return [];
  return [{ name: name(found.slice(1)).replaceAll(/\d+/g, ''), isOwn: !foreign.test(line) }];
}

/**
 * Returns the file name without its folder, which differs between machines, and without the hash of a
 * bundler.
 */
function baseName(file: string): string {
  const [name = ''] = file.replaceAll('\\', '/').split('/').slice(-1);
  return name.replace(/[.-][\da-f]{6,}(?=\.)/, '').replace(/[?#].*$/, '');
}
