/** The mail that asks a visitor to confirm an address, in every language. Names come from the owner, never from the visitor. */
import type { Language } from '../../kernel/language.js';

export interface OptInWords {
  readonly subject: (form: string) => string;
  readonly heading: string;
  readonly text: (form: string) => string;
  readonly button: string;
  /** `until`: a day. */
  readonly expires: (until: string) => string;
  readonly ignore: string;
}

export const optInWords: Readonly<Record<Language, OptInWords>> = {
  en: {
    subject: (form) => `Please confirm your e-mail address: ${form}`,
    heading: 'Confirm your address',
    text: (form) =>
      `Someone entered this address in the form “${form}”. If it was you, confirm it. Your message is delivered only after that.`,
    button: 'Confirm address',
    expires: (until) => `The link works until ${until}.`,
    ignore: 'If this was not you, ignore this e-mail. What was entered is deleted when the link expires.',
  },
  de: {
    subject: (form) => `Bitte bestätigen Sie Ihre E-Mail-Adresse: ${form}`,
    heading: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: (form) =>
      `Diese Adresse wurde im Formular „${form}“ eingetragen. Öffnen Sie den Link und bestätigen Sie, dass Sie es waren. Erst dann wird Ihre Nachricht weitergegeben.`,
    button: 'Adresse bestätigen',
    expires: (until) => `Der Link gilt bis ${until}.`,
    ignore:
      'Wenn Sie dieses Formular nicht ausgefüllt haben, ignorieren Sie diese E-Mail. Es geschieht nichts weiter, und die Angaben werden gelöscht.',
  },
  fr: {
    subject: (form) => `Veuillez confirmer votre adresse e-mail : ${form}`,
    heading: 'Confirmez votre adresse e-mail',
    text: (form) =>
      `Cette adresse a été saisie dans le formulaire « ${form} ». Ouvrez le lien et confirmez que c’était bien vous. Votre message ne sera transmis qu’ensuite.`,
    button: 'Confirmer l’adresse',
    expires: (until) => `Le lien est valable jusqu’au ${until}.`,
    ignore:
      'Si vous n’avez pas rempli ce formulaire, ignorez cet e-mail. Rien d’autre ne se passera, et les données saisies seront supprimées.',
  },
  es: {
    subject: (form) => `Confirme su dirección de correo: ${form}`,
    heading: 'Confirme su dirección de correo',
    text: (form) =>
      `Esta dirección se indicó en el formulario «${form}». Abra el enlace y confirme que fue usted. Solo entonces se enviará su mensaje.`,
    button: 'Confirmar dirección',
    expires: (until) => `El enlace es válido hasta el ${until}.`,
    ignore:
      'Si usted no rellenó este formulario, ignore este correo. No ocurrirá nada más y los datos se eliminarán.',
  },
  zh: {
    subject: (form) => `请确认您的电子邮件地址：${form}`,
    heading: '确认您的电子邮件地址',
    text: (form) =>
      `有人在表单“${form}”中填写了此地址。请打开链接，确认是您本人填写。确认后，您的信息才会被转交。`,
    button: '确认地址',
    expires: (until) => `链接有效期至 ${until}。`,
    ignore: '如果您没有填写此表单，请忽略这封邮件。不会有其他操作，所填内容将被删除。',
  },
};
