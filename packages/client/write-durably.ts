import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Writes a file that is whole or absent after a crash, and that survives a power failure. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  try {
    await writeAndSync(unfinished, text);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
  const folder = await open(path.dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

async function writeAndSync(file: string, text: string): Promise<void> {
  const opened = await open(file, 'wx', 0o600);
  try {
    await opened.writeFile(text);
    await opened.sync();
  } finally {
    await opened.close();
  }
}
