/** A device with a passkey, as a server sees it: ES256, no attestation. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const isPresent = 0x01;
const isVerified = 0x04;
const hasCredential = 0x40;

/** `verifiesUser`: by fingerprint, face or PIN. */
export function createAuthenticator({ rpId, origin, verifiesUser = true }) {
  const person = isPresent | (verifiesUser ? isVerified : 0);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  const header = (flags) => Buffer.concat([sha256(rpId), Buffer.from([flags, 0, 0, 0, 0])]);
  const clientData = (type, challenge) => Buffer.from(JSON.stringify({ type, challenge, origin }));
  /** CBOR of a COSE key: kty 2, alg -7, crv 1, x, y. */
  const coseKey = Buffer.concat([
    Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 32]),
    Buffer.from(y, 'base64url'),
  ]);
  return {
    create({ challenge }) {
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey]);
      const data = Buffer.concat([header(person | hasCredential), credential]);
      // CBOR of { fmt: 'none', attStmt: {}, authData }.
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63, ...Buffer.from('fmt'), 0x64, ...Buffer.from('none')]),
        Buffer.from([
          0x67,
          ...Buffer.from('attStmt'),
          0xa0,
          0x68,
          ...Buffer.from('authData'),
          0x58,
          data.length,
        ]),
        data,
      ]);
      return {
        id: id.toString('base64url'),
        client_data: clientData('webauthn.create', challenge).toString('base64url'),
        attestation: attestation.toString('base64url'),
      };
    },
    answer({ challenge }) {
      const data = header(person);
      const client = clientData('webauthn.get', challenge);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        id: id.toString('base64url'),
        client_data: client.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        signature: signature.toString('base64url'),
      };
    },
  };
}
