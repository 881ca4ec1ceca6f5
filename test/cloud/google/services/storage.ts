import { createHash } from 'node:crypto';
import { ApiError } from '../api-error.ts';
import { type Call, pathOf, type Service } from '../call.ts';
import { newEtag } from '../etag.ts';
import { find, type Google, insert, list, numberOf, remove } from '../google.ts';
import { type Json, withDefaults } from '../json.ts';
import { isAllowed, readPolicy, writePolicy } from '../policies.ts';

const api = 'storage.googleapis.com/storage/v1';
const bucket = `${api}/{bucket=b/*}`;

/** https://cloud.google.com/storage/docs/json_api/v1 */
export function storage(google: Google): Service {
  return { ...buckets(google), ...objects(google) };
}

function buckets(google: Google): Service {
  const read = (call: Call) => find(google, pathOf(call, 'bucket'));
  const policyOf = (call: Call) => {
    read(call);
    return pathOf(call, 'bucket');
  };
  return {
    [`POST ${api}/b`]: ({ query, body }) => {
      const project = query.get('project') ?? '';
      return insert(google, `b/${body.name}`, completeBucket(body, project));
    },
    [`GET ${bucket}`]: read,
    [`PATCH ${bucket}`]: (call) => Object.assign(read(call), call.body, { etag: newEtag() }),
    [`DELETE ${bucket}`]: (call) => {
      const name = pathOf(call, 'bucket');
      if (list(google, `${name}/o`).length > 0) {
        throw new ApiError('ABORTED', 'The bucket you tried to delete is not empty.');
      }
      remove(google, name);
      return {};
    },
    [`GET ${bucket}/iam`]: (call) => readPolicy(google.policies, policyOf(call)),
    [`PUT ${bucket}/iam`]: (call) => writePolicy(google.policies, policyOf(call), call.body),
    [`GET ${bucket}/iam/testPermissions`]: (call) => {
      const resources = [pathOf(call, 'bucket'), `projects/${read(call).project}`];
      const isGranted = (permission: string) =>
        isAllowed(google.policies, { member: call.caller, permission, resources });
      return { permissions: call.query.getAll('permissions').filter(isGranted) };
    },
    [`GET ${bucket}/anywhereCaches`]: () => ({ items: [] }),
  };
}

function objects(google: Google): Service {
  const object = `${bucket}/o/{object}`;
  const keyOf = (call: Call) => `${pathOf(call, 'bucket')}/o/${encodeURIComponent(pathOf(call, 'object'))}`;
  const shown = ({ content: _content, ...rest }: Json) => rest;
  return {
    'POST storage.googleapis.com/upload/storage/v1/{bucket=b/*}/o': (call) => {
      const bucketName = pathOf(call, 'bucket');
      find(google, bucketName);
      const { metadata, content } = readUpload(call);
      const name = call.query.get('name') ?? String(metadata.name);
      const key = `${bucketName}/o/${encodeURIComponent(name)}`;
      if (call.query.get('ifGenerationMatch') === '0' && google.resources.has(key)) insert(google, key, {});
      google.resources.set(key, { ...describeObject(bucketName.slice(2), name, content), content });
      return shown(find(google, key));
    },
    [`GET ${bucket}/o`]: (call) => ({ items: list(google, `${pathOf(call, 'bucket')}/o`).map(shown) }),
    [`GET ${object}`]: (call) => {
      const found = find(google, keyOf(call));
      return call.query.get('alt') === 'media' ? (found.content as Buffer) : shown(found);
    },
    [`DELETE ${object}`]: (call) => {
      remove(google, keyOf(call));
      return {};
    },
  };
}

function completeBucket(given: Json, project: string): Json {
  const filled = withDefaults(given, {
    storageClass: 'STANDARD',
    rpo: 'DEFAULT',
    softDeletePolicy: { retentionDurationSeconds: '604800', effectiveTime: new Date().toISOString() },
    iamConfiguration: { bucketPolicyOnly: { enabled: true }, publicAccessPrevention: 'inherited' },
  });
  return {
    ...filled,
    kind: 'storage#bucket',
    id: given.name,
    project,
    projectNumber: numberOf(project),
    selfLink: `https://${api}/b/${given.name}`,
    location: String(given.location ?? 'US').toUpperCase(),
    locationType: 'region',
    metageneration: '1',
    timeCreated: new Date().toISOString(),
    etag: newEtag(),
  };
}

function describeObject(bucketName: string, name: string, content: Buffer): Json {
  const generation = String(Date.now() * 1000);
  const path = `b/${bucketName}/o/${encodeURIComponent(name)}`;
  return {
    kind: 'storage#object',
    id: `${bucketName}/${name}/${generation}`,
    name,
    bucket: bucketName,
    generation,
    metageneration: '1',
    size: String(content.length),
    contentType: 'application/octet-stream',
    storageClass: 'STANDARD',
    md5Hash: createHash('md5').update(content).digest('base64'),
    selfLink: `https://${api}/${path}`,
    mediaLink: `https://storage.googleapis.com/download/storage/v1/${path}?generation=${generation}&alt=media`,
    etag: newEtag(),
  };
}

/**
 * Reads the two parts of a multipart upload:
 * https://cloud.google.com/storage/docs/uploading-objects#uploading-an-object
 */
function readUpload({ headers, bytes }: Call): { metadata: Json; content: Buffer } {
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1];
  if (!boundary) return { metadata: {}, content: bytes };
  const [, metadata = Buffer.alloc(0), content = Buffer.alloc(0)] = split(bytes, `--${boundary}`);
  return { metadata: JSON.parse(bodyOf(metadata).toString()), content: bodyOf(content) };
}

function split(bytes: Buffer, separator: string): Buffer[] {
  const at = bytes.indexOf(separator);
  if (at < 0) return [bytes];
  return [bytes.subarray(0, at), ...split(bytes.subarray(at + separator.length), separator)];
}

/** A part is `CRLF headers CRLF CRLF body CRLF`. */
function bodyOf(part: Buffer): Buffer {
  return part.subarray(part.indexOf('\r\n\r\n') + 4, -2);
}
