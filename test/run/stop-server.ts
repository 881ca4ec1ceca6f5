import { stopKeptServer } from './kept-server.ts';

await stopKeptServer();
