import type { handleUnaryCall } from '@grpc/grpc-js';
import { type RpcCode, RpcError } from './rpc-error.ts';

export type Fault = {
  /** The status to answer with, or HANG for no answer at all. */
  readonly code: RpcCode | 'HANG';
  /** How many calls fail: 1 by default, Infinity until it is replaced, 0 to cancel an earlier fault. */
  readonly count?: number;
  /** The call is carried out first and only its answer is lost, which a sender must treat as ambiguous. */
  readonly afterwards?: boolean;
};

/** The latest planned fault of each method, and the number of calls that it still hits. */
export type Faults = Map<string, { readonly fault: Fault; left: number }>;

/** Answers a request, or throws an RpcError. */
type Method = (request: never) => unknown;

/** Wraps plain functions as gRPC methods, and applies the faults planned for them. */
export function serveUnary(methods: Readonly<Record<string, Method>>, faults: Faults) {
  const handlers = Object.entries(methods).map(([name, method]) => [name, serve(name, method, faults)]);
  return Object.fromEntries(handlers) as Record<string, handleUnaryCall<unknown, unknown>>;
}

function serve(name: string, method: Method, faults: Faults): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const fault = takeFault(faults, name);
    if (fault && !fault.afterwards) return failWith(fault, callback);
    try {
      const response = method(call.request as never);
      if (fault) failWith(fault, callback);
      else callback(null, response);
    } catch (error) {
      callback(error as Error);
    }
  };
}

/** Returns the fault for a call that starts now, if there is one. */
function takeFault(faults: Faults, method: string): Fault | undefined {
  const plan = faults.get(method);
  if (!plan || plan.left <= 0) return undefined;
  plan.left -= 1;
  return plan.fault;
}

/** Passes the error of a fault to `fail`, unless the fault is HANG. */
function failWith({ code }: Fault, fail: (error: RpcError) => void): void {
  if (code !== 'HANG') fail(new RpcError(code, 'Planned by failNext.'));
}
