// A target that answers at once. Prints its URL, and for each line that it reads the number of requests so far.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume().on('end', () => response.end('ok'));
}).listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
createInterface(process.stdin).on('line', () => console.log(requests));
