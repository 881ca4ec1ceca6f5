// An application to which Debezium Server posts change events. It fails, and posts each one to capture as it came, with the error in headers.
import { createServer } from 'node:http';

const { REPLAY_PORT, CAPTURE } = process.env;
const ofHttp =
  /^(host|connection|upgrade|http2-settings|content-length|transfer-encoding|accept.*|user-agent)$/;

function apply() {
  throw new TypeError('warehouse knows no such order');
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  try {
    apply(body);
    response.end();
  } catch (error) {
    const headers = Object.entries(request.headers).filter(([name]) => !ofHttp.test(name));
    const answer = await fetch(CAPTURE, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(headers),
        'dlo-error-class': error.name,
        'dlo-error-reason': error.message,
        'dlo-consumer-group': 'warehouse',
      },
      body,
    });
    // Any other answer makes Debezium Server post the event again.
    response.writeHead(answer.status).end();
  }
}).listen(Number(REPLAY_PORT), '127.0.0.1');
