import { fingerprint } from '../../shared/fingerprint/fingerprint.ts';
import { variantsOf } from '../shared/fingerprint/cause-variants.ts';
import { causes } from '../shared/fingerprint/causes.ts';

console.log(JSON.stringify(causes.flatMap(variantsOf).map(fingerprint)));
