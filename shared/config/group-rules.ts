import * as v from 'valibot';
import { defineSetting } from './setting.ts';

/** Where a rule looks for its value: anywhere in class, reason and stack trace, or one field as a whole. */
export const ruleFields = ['words', 'class', 'type', 'consumer'] as const;

/** The fields of a rule that events are found by. */
export const ruleEntries = {
  field: v.picklist(ruleFields, `Use one of ${ruleFields.join(', ')}.`),
  value: v.pipe(
    v.string('Give the word or the value.'),
    v.trim(),
    v.nonEmpty('Give the word or the value that only one part has.'),
    v.maxLength(200, 'Must have at most 200 characters.'),
    v.description('In upper or lower case for words; exact for a field.'),
  ),
};

const GroupRuleSchema = v.strictObject({
  group: v.pipe(
    v.string('Give the name of the group.'),
    v.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u, 'Use up to 60 letters, digits, spaces and `._-`.'),
  ),
  ...ruleEntries,
});

/** An error group that the configuration names, with the failures that belong to it. */
export type GroupRule = v.InferOutput<typeof GroupRuleSchema>;

/** The groups that the configuration names; without any the fingerprints decide. */
export const GroupRulesSchema = v.array(GroupRuleSchema, 'Use a list of rules.');

export const groupRulesSetting = defineSetting(
  {
    readBy: ['maintain'],
    default: '[]',
    allowed: 'JSON list',
    schema: v.optional(
      v.pipe(v.string(), v.parseJson({}, 'Must be a JSON list of rules.'), GroupRulesSchema),
      '[]',
    ),
  },
  'Error groups that you name: `[{"group": "Declined cards", "field": "words", "value": "card_declined"}]`; `field` is `words` (of class, reason and stack), `class`, `type` or `consumer`. Applied to later failures by the next run of `maintain`.',
);
