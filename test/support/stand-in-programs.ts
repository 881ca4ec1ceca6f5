import { readFileSync } from 'node:fs';
import path from 'node:path';
import { project } from './stack-config.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** The commands of `dlo` with their options, which a test compares with the page. */
const commandLine = Object.fromEntries(
  [...readFileSync(path.join(root, 'docs/command-line.md'), 'utf8').matchAll(/^\| `dlo (\w+).*$/gm)].map(
    ([row, name]) => [name, [...row.matchAll(/`(--[\w-]+)/g)].map(([, option]) => option)],
  ),
);

const fail = (condition: string, words: string) =>
  `if (${condition}) { console.error(${words}); process.exit(1); }`;

/**
 * Programs of Node.js that stand in for those that reach other systems, or start the product. Each fails on what
 * the repository does not have: a script of package.json, a setting of the stack, a file.
 */
export const standInPrograms: Readonly<Record<string, string>> = {
  npm: `const [, , command, script] = process.argv;
    const scripts = ${JSON.stringify(Object.keys(scripts))};
    ${fail(`command === 'run' && !scripts.includes(script)`, `'no script ' + script`)}
    ${fail(`!['ci', 'run', 'start', 'test', 'pack'].includes(command)`, `'no command ' + command`)}`,
  npx: `const [program, command, ...rest] = process.argv.slice(2);
    const options = ${JSON.stringify(commandLine)}[command];
    ${fail(`program !== 'dlo' || !options`, `'no command ' + command`)}
    const unknown = rest.filter((each) => each.startsWith('--') && !options.includes(each.split('=')[0]));
    ${fail(`unknown.length > 0`, `'no option ' + unknown`)}`,
  pulumi: `const [command, sub, ...rest] = process.argv.slice(2);
    const [key = ''] = rest.filter((each) => !each.startsWith('--'));
    const known = ${JSON.stringify(Object.keys(project.config))};
    ${fail(`sub === 'set' && !key.startsWith('gcp:') && !known.includes(key.split(/[.[]/)[0])`, `'no setting ' + key`)}
    ${fail(`!['config', 'login', 'stack'].includes(command)`, `'no command ' + command`)}`,
  psql: `const { existsSync } = require('node:fs');
    const file = process.argv[process.argv.indexOf('-f') + 1];
    ${fail(`process.argv.includes('-f') && !existsSync('${root}/' + file)`, `'no file ' + file`)}`,
  pg_dump: `console.log('a dump');`,
  pg_restore: `${fail(`!process.argv.includes('events.dump')`, `'no dump'`)}`,
  'cloud-sql-proxy': `${fail(`!process.argv.includes('--auto-iam-authn')`, `'no IAM login'`)}`,
  // Cloud Storage is a folder.
  gcloud: `const { copyFileSync, globSync, writeSync, readFileSync } = require('node:fs');
    const [group, command, from, to] = process.argv.slice(2);
    const file = (url) => url.replace('gs://', 'storage/');
    if (group !== 'storage') process.exit(0);
    if (command === 'ls') for (const name of globSync(file(from))) console.log(name.replace('storage/', 'gs://'));
    if (command === 'cat') writeSync(1, readFileSync(file(from)));
    if (command === 'cp') copyFileSync(from, file(to));`,
};
