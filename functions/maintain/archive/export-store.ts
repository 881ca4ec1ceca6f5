import type { Readable, Writable } from 'node:stream';

/** Where exports are written to and read back from, by the name of a file. */
export type ExportStore = {
  /** The file exists, whole, once the stream has finished without an error. */
  write(name: string): Writable;
  read(name: string): Readable;
};

/** A bucket of Cloud Storage; its client is loaded only where something is exported. */
export async function openBucket(bucket: string): Promise<ExportStore> {
  const { Storage } = await import('@google-cloud/storage');
  const files = new Storage().bucket(bucket);
  return {
    write: (name) => files.file(name).createWriteStream({ resumable: false, validation: 'crc32c' }),
    read: (name) => files.file(name).createReadStream({ validation: 'crc32c', decompress: false }),
  };
}
