interface Challenge {
  readonly challenge: string;
}

/** A device with a passkey, as a server sees it. */
export function createAuthenticator(options: {
  readonly rpId: string;
  readonly origin: string;
  readonly verifiesUser?: boolean;
}): {
  create(challenge: Challenge): Readonly<Record<'id' | 'client_data' | 'attestation', string>>;
  answer(
    challenge: Challenge,
  ): Readonly<Record<'id' | 'client_data' | 'authenticator_data' | 'signature', string>>;
};
