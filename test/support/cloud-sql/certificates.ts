import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Certificate = { readonly certificate: string; readonly key: string };

export type Authority = Certificate & {
  /** A certificate for a name, and for hosts, with a key of its own. */
  issue(name: string, hosts?: readonly string[]): Certificate;
  /** A certificate for a name and somebody else's key, in PEM. */
  certify(name: string, publicKey: string): string;
};

/**
 * An authority that signs certificates for tests: X.509 version 3, RFC 5280, of what TLS looks at no more
 * than it needs.
 */
export function createAuthority(name: string): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const make = (subject: string, publicKey: KeyObject, extension: Buffer) =>
    toPem(signed(own.privateKey, describe({ issuer: name, subject, publicKey, extension })));
  return {
    certificate: make(name, own.publicKey, anAuthority),
    key: exportKey(own.privateKey),
    issue(subject, hosts = []) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return { certificate: make(subject, publicKey, forHosts(hosts)), key: exportKey(privateKey) };
    },
    certify: (subject, publicKey) => make(subject, createPublicKey(publicKey), forHosts([])),
  };
}

type Description = {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extension: Buffer;
};

const day = 86_400_000;

// The tags of DER that certificates use.
const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const octets = (...parts: readonly Buffer[]) => der(0x04, ...parts);

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
const anAuthority = sequence(
  identifier('551d13'),
  der(0x01, Buffer.from([0xff])),
  octets(sequence(der(0x01, Buffer.from([0xff])))),
);
const forHosts = (hosts: readonly string[]) =>
  sequence(
    identifier('551d11'),
    octets(sequence(...['test', ...hosts].map((host) => der(0x82, Buffer.from(host))))),
  );

function describe({ issuer, subject, publicKey, extension }: Description): Buffer {
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const validity = sequence(toTime(Date.now() - day), toTime(Date.now() + day));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const extensions = der(0xa3, sequence(extension));
  return sequence(
    version,
    serial,
    ecdsaWithSha256,
    toName(issuer),
    validity,
    toName(subject),
    key,
    extensions,
  );
}

function signed(key: KeyObject, description: Buffer): Buffer {
  const signature = der(0x03, Buffer.from([0]), sign('sha256', description, key));
  return sequence(description, ecdsaWithSha256, signature);
}

function toName(name: string): Buffer {
  return sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(name)))));
}

function toTime(ms: number): Buffer {
  return der(0x17, Buffer.from(new Date(ms).toISOString().replaceAll(/^20|[-:T]|\.\d+/g, '')));
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
