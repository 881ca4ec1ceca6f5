#!/usr/bin/env node
// `npx dead-letter-office`: what `npm start` runs in a clone; `reset` deletes its data.
// The program is written for Node.js 24: these are what it uses, and Node.js 20 lacks.
import 'core-js/actual/array-buffer/detached.js';
import 'core-js/actual/array-buffer/transfer.js';
import 'core-js/actual/async-disposable-stack/index.js';
import 'core-js/actual/map/group-by.js';
import 'core-js/actual/object/group-by.js';
import 'core-js/actual/promise/with-resolvers.js';
import 'core-js/actual/url/parse.js';

const [command, ...others] = process.argv.slice(2);
if (command === 'reset' && others.length === 0) await import('../../local/reset.ts');
else await import('../../local/start.ts');
