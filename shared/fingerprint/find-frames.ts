import { type FrameFormat, frameFormats } from './frame-formats.ts';

/** Frames of the application that are compared; their callers are mostly the same for all failures. */
const maxFrames = 5;

type Frame = { readonly name: string; readonly isOwn: boolean };

/**
 * Returns up to five topmost frames of a stack, those of the application if there are any, without line
 * numbers, folders, counters of lambdas and repetitions: the same failure has the same frames in the next
 * build of the application.
 */
export function findFrames(stack: string): string[] {
  const frames = readFrames(stack);
  const own = frames.filter(({ isOwn }) => isOwn);
  return (own.length > 0 ? own : frames)
    .map(({ name }) => name)
    .filter((name, i, names) => name !== '' && name !== names[i - 1])
    .slice(0, maxFrames);
}

/**
 * Returns the topmost frame of the application; undefined if the stack has only frames of libraries, or none.
 */
export function findOwnFrame(stack: string): string | undefined {
  return readFrames(stack).find(({ isOwn }) => isOwn)?.name;
}

/** Whether a line of a stack is a frame of the application or of a library; undefined for any other line. */
export function frameOf(line: string): 'own' | 'library' | undefined {
  const [frame] = readFrames(line);
  return frame && (frame.isOwn ? 'own' : 'library');
}

function readFrames(stack: string): Frame[] {
  const lines = stack.replaceAll('\r\n', '\n');
  for (const format of frameFormats) {
    const frames = readFormat(format, lines);
    if (frames.length > 0) return format.isLastFirst ? frames.reverse() : frames;
  }
  return [];
}

function readFormat({ line, name, foreign }: FrameFormat, stack: string): Frame[] {
  return [...stack.matchAll(line)].map(([text, ...groups]) => {
    const printed = name(groups).replaceAll(/\d+/g, '');
    // A minified name says nothing.
    return { name: printed, isOwn: printed !== '' && !foreign.test(text) };
  });
}
