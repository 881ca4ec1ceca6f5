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

/** Returns the fault for a call that starts now, if there is one. */
export function takeFault(faults: Faults, method: string): Fault | undefined {
  const plan = faults.get(method);
  if (!plan || plan.left <= 0) return undefined;
  plan.left -= 1;
  return plan.fault;
}

/** Passes the error of a fault to `fail`, unless the fault is HANG. */
export function failWith({ code }: Fault, fail: (error: RpcError) => void): void {
  if (code !== 'HANG') fail(new RpcError(code, 'Planned by failNext.'));
}
