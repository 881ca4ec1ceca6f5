#!/usr/bin/env node
import { runOnNode } from './run-on-node.ts';

// A Node.js that cannot run the program can run this file, which then finds one that can.
const requiredMajor = 24;

const { argv, versions } = process;
if (Number.parseInt(versions.node, 10) < requiredMajor) await runOnNode(argv.slice(1));
else await import('./program.js');
