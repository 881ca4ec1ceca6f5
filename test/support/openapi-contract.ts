import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A request that the API has answered. */
export type Exchange = {
  readonly method: string;
  readonly path: string;
  /** The JSON of the request, if it has any. */
  readonly sent: unknown;
  readonly status: number;
  readonly type: string;
  readonly answer: unknown;
};

/**
 * How an exchange compares with the OpenAPI document: the operation, if the document has it, and every
 * deviation.
 */
export type Comparison = { readonly operationId: string | undefined; readonly deviations: readonly string[] };

export type Contract = (exchange: Exchange) => Comparison;

/**
 * Compares exchanges with an OpenAPI document: every response, and the body of every request that succeeded.
 */
export function openContract(document: object): Contract {
  // Each process compiles schemas, and most of them compare few values: better code would cost more than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const find = (pointer: readonly string[]) =>
    pointer.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  const validate = (pointer: readonly string[], value: unknown): string[] => {
    if (find(pointer) === undefined) return [`The document has no ${pointer.join(' ')}`];
    const isValid = ajv.getSchema(`api#/${pointer.map(toPointer).join('/')}`);
    if (!isValid) return [`The document has no schema at ${pointer.join(' ')}`];
    return isValid(value)
      ? []
      : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  return ({ method, path, sent, status, type, answer }) => {
    const operation = findOperation(document, method, path);
    const described = [...operation, 'responses', `${status}`];
    const response = status < 400 ? described : ['components', 'responses', 'Problem'];
    const isTaken = status < 400 && sent !== undefined;
    return {
      operationId: find([...operation, 'operationId']) as string | undefined,
      deviations: [
        ...validate([...response, 'content', type, 'schema'], answer),
        ...(isTaken
          ? validate([...operation, 'requestBody', 'content', 'application/json', 'schema'], sent)
          : []),
      ],
    };
  };
}

function findOperation(document: object, method: string, path: string): string[] {
  const { paths } = document as { paths: Record<string, object> };
  const [bare = ''] = path.replace(/^\/replay(?=\/)/, '').split('?');
  const templates = Object.keys(paths).filter((each) =>
    new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  );
  return [
    'paths',
    templates.find((each) => !each.includes('{')) ?? templates[0] ?? bare,
    method.toLowerCase(),
  ];
}

function toPointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
