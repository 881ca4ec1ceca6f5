import { createRequire } from 'node:module';

const yaml = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown };

/** The value of a text in YAML; the package has no types. */
export const loadYaml = (text: string) => yaml.load(text);
