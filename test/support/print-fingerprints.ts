import { fingerprint } from '../../shared/groups/fingerprint/fingerprint.ts';
import { variantsOf } from '../shared/groups/fingerprint/cause-variants.ts';
import { causes } from '../shared/groups/fingerprint/causes.ts';

console.log(JSON.stringify(causes.flatMap(variantsOf).map(fingerprint)));
