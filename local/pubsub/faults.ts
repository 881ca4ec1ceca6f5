import { type RpcCode, RpcError } from './rpc-error.ts';

export type Fault = {
  /** The status to answer with, or HANG for no answer at all. */
  readonly code: RpcCode | 'HANG';
  /** How many calls it hits; 1 unless told, Infinity until it is replaced, 0 to end an earlier fault. */
  readonly count?: number;
  /** The call is carried out first, so only its answer is lost: what a sender must treat as ambiguous. */
  readonly afterwards?: boolean;
};

export type Faults = {
  /** Replaces the fault of the method. */
  set(method: string, fault: Fault): void;
  /** The fault that the call now beginning meets, if any. */
  next(method: string): Fault | undefined;
};

/** Creates an empty set of faults. */
export function createFaults(): Faults {
  const planned = new Map<string, { fault: Fault; left: number }>();
  return {
    set: (method, fault) => planned.set(method, { fault, left: fault.count ?? 1 }),
    next(method) {
      const plan = planned.get(method);
      if (!plan || plan.left <= 0) return undefined;
      plan.left -= 1;
      return plan.fault;
    },
  };
}

/** Gives the error of a fault to `fail`, unless the fault is to hang. */
export function meetFault({ code }: Fault, fail: (error: RpcError) => void): void {
  if (code !== 'HANG') fail(new RpcError(code, 'This answer was asked for by failNext.'));
}
