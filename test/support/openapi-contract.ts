import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Answered = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly answer: unknown;
};

/** What in an answer is other than the OpenAPI document says. A path that it does not know has problems only. */
export type Contract = (answered: Answered) => string[];

export function openContract(document: object): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const has = (pointer: string[]) =>
    pointer.reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document) !== undefined;

  return ({ method, path, status, type, answer }) => {
    const operation = findOperation(document, method, path);
    const response =
      operation && has([...operation, 'responses', `${status}`])
        ? [...operation, 'responses', `${status}`]
        : ['components', 'responses', 'Problem'];
    const schema = [...response, 'content', type, 'schema'];
    if (!has(schema)) return [`${status} ${type} is not described for ${method} ${path}`];
    const validate = ajv.getSchema(`api#/${schema.map(toPointer).join('/')}`);
    if (!validate) return [`no schema at ${schema}`];
    return validate(answer)
      ? []
      : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}

function findOperation(document: object, method: string, path: string): string[] | undefined {
  const { paths } = document as { paths: Record<string, object> };
  const [bare = ''] = path.replace(/^\/replay(?=\/)/, '').split('?');
  const template = Object.keys(paths).find((each) =>
    new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  );
  return template && method.toLowerCase() in (paths[template] ?? {})
    ? ['paths', template, method.toLowerCase()]
    : undefined;
}

function toPointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
