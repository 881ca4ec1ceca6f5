import { status } from '@grpc/grpc-js';

export type RpcCode = keyof typeof status;

/** A status other than OK. grpc-js sends `code` and `details` to the client. */
export class RpcError extends Error {
  readonly code: number;
  readonly details: string;

  constructor(code: RpcCode, details: string) {
    super(`${code}: ${details}`);
    this.code = status[code];
    this.details = details;
  }
}
