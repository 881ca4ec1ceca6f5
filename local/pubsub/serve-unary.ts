import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import { type Faults, meetFault } from './faults.ts';

/** Answers a request, or throws an RpcError. `cancelled` tells that the client no longer waits. */
export type Answer = (request: never, cancelled: AbortSignal) => unknown;

/** Makes gRPC methods of plain functions, and lets them meet the faults planned for them. */
export function serveUnary(answers: Readonly<Record<string, Answer>>, faults: Faults) {
  const methods = Object.entries(answers).map(([name, answer]) => [name, serve(name, answer, faults)]);
  return Object.fromEntries(methods) as Record<string, handleUnaryCall<unknown, unknown>>;
}

function serve(name: string, answer: Answer, faults: Faults): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const fault = faults.next(name);
    if (fault && !fault.afterwards) return meetFault(fault, callback);
    carryOut(answer, call).then(
      (response) => (fault ? meetFault(fault, callback) : callback(null, response)),
      (error) => callback(error),
    );
  };
}

async function carryOut(answer: Answer, call: ServerUnaryCall<unknown, unknown>): Promise<unknown> {
  const cancelled = new AbortController();
  call.on('cancelled', () => cancelled.abort());
  return answer(call.request as never, cancelled.signal);
}
