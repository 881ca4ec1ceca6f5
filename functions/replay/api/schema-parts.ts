import type { Description } from './resource.ts';

// Parts of JSON Schema that the descriptions of the API are made of.

export const text = { type: 'string' };
export const textOrNull = { type: ['string', 'null'] };
export const time = { type: 'string', format: 'date-time' };
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' };
export const count = { type: 'integer', minimum: 0 };

/** An object of these properties and no other, all there but for the optional ones. */
export function object(properties: Description, optional: readonly string[] = []) {
  return {
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
    additionalProperties: false,
  };
}
