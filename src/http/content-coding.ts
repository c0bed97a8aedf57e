/** Which codings of a body a client takes. */

/** `gzip;q=0` means: not this one. */
export const acceptsCoding = (header: string, coding: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', weight = '1'] = part.trim().split(/\s*;\s*q=/i);
    return name.toLowerCase() === coding && Number(weight) > 0;
  });
