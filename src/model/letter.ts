/** The content of a mail before it is laid out as HTML and as text. Texts are clean and of limited length, but not escaped. */

/** Everything around the body. */
export interface MailFrame {
  readonly language: string;
  /** Shown by mail programs next to the subject. */
  readonly preview: string;
  /** Above the heading, such as the name of the project; empty: nothing. */
  readonly overline: string;
  readonly heading: string;
  /** Below the heading; empty: nothing. */
  readonly lead: string;
  /** One paragraph each. */
  readonly footer: readonly string[];
}

export interface MailButton {
  readonly label: string;
  /** http or https. */
  readonly link: string;
}

/** A mail of a few sentences and at most one button. */
export interface Letter extends MailFrame {
  /** Each can have several lines. */
  readonly paragraphs: readonly string[];
  readonly button: MailButton | null;
}

export interface MailBodies {
  readonly html: string;
  readonly text: string;
}
