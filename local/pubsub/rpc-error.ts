import { status } from '@grpc/grpc-js';

export type RpcCode = keyof typeof status;

/** An answer that is not OK. grpc-js turns `code` and `details` into the status that the client sees. */
export class RpcError extends Error {
  readonly code: number;
  readonly details: string;

  constructor(code: RpcCode, details: string) {
    super(`${code}: ${details}`);
    this.code = status[code];
    this.details = details;
  }
}
