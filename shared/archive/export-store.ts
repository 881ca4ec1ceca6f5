import type { Readable, Writable } from 'node:stream';

/** A store of export files by name. */
export type ExportStore = {
  /** The file exists, complete, once the stream has finished without an error. */
  write(name: string): Writable;
  read(name: string): Readable;
};

/** Opens a bucket of Cloud Storage. Its client library is loaded on use. */
export async function openBucket(bucket: string): Promise<ExportStore> {
  const { Storage } = await import('@google-cloud/storage');
  const files = new Storage().bucket(bucket);
  return {
    write: (name) => files.file(name).createWriteStream({ resumable: false, validation: 'crc32c' }),
    read: (name) => files.file(name).createReadStream({ validation: 'crc32c', decompress: false }),
  };
}
