/** Texts for visitors, in the language of the form, else of its page, else of the browser. */
import { unhidden } from './unhidden.js';

const languages = ['en', 'de', 'fr', 'es', 'zh'];

/** One per language: a text with a missing translation does not compile. */
type Texts = readonly [en: string, de: string, fr: string, es: string, zh: string];

/** By error code, else by response status. */
const texts = new Map(
  Object.entries<Texts>({
    sending: ['Sending…', 'Wird gesendet …', 'Envoi…', 'Enviando…', '正在发送…'],
    sent: [
      'Thank you. Your message has been sent.',
      'Danke. Ihre Nachricht wurde gesendet.',
      'Merci. Votre message a été envoyé.',
      'Gracias. Su mensaje se ha enviado.',
      '谢谢，您的消息已发送。',
    ],
    0: [
      'No connection. Please send again.',
      'Keine Verbindung. Bitte senden Sie erneut.',
      'Pas de connexion. Veuillez renvoyer.',
      'Sin conexión. Envíe de nuevo.',
      '无法连接，请重新发送。',
    ],
    400: [
      'Please check your entries.',
      'Bitte prüfen Sie Ihre Angaben.',
      'Veuillez vérifier votre saisie.',
      'Revise los datos.',
      '请检查您填写的内容。',
    ],
    402: [
      'This form does not accept files.',
      'Dieses Formular nimmt keine Dateien an.',
      'Ce formulaire n’accepte pas de fichiers.',
      'Este formulario no acepta archivos.',
      '此表单不接受文件。',
    ],
    403: [
      'This form cannot be sent from here.',
      'Dieses Formular kann von hier nicht gesendet werden.',
      'Ce formulaire ne peut pas être envoyé d’ici.',
      'Este formulario no se puede enviar desde aquí.',
      '无法从此处发送此表单。',
    ],
    aborted: ['Cancelled.', 'Abgebrochen.', 'Annulé.', 'Cancelado.', '已取消。'],
    origin_not_allowed: [
      'This form does not accept messages from this site.',
      'Dieses Formular nimmt von dieser Website keine Nachrichten an.',
      'Ce formulaire n’accepte pas de messages depuis ce site.',
      'Este formulario no acepta mensajes desde este sitio.',
      '此表单不接受来自本网站的消息。',
    ],
    form_inactive: [
      'This form is closed.',
      'Dieses Formular ist geschlossen.',
      'Ce formulaire est fermé.',
      'Este formulario está cerrado.',
      '此表单已关闭。',
    ],
    captcha_failed: [
      'The spam check failed. Please send again.',
      'Die Spamprüfung schlug fehl. Bitte senden Sie erneut.',
      'Échec du contrôle antispam. Veuillez renvoyer.',
      'Falló el control antispam. Envíe de nuevo.',
      '反垃圾验证失败，请重新发送。',
    ],
    file_too_large: [
      'File too large.',
      'Datei zu groß.',
      'Fichier trop volumineux.',
      'Archivo demasiado grande.',
      '文件过大。',
    ],
    too_many_files: [
      'Too many files.',
      'Zu viele Dateien.',
      'Trop de fichiers.',
      'Demasiados archivos.',
      '文件过多。',
    ],
    413: ['Too large.', 'Zu groß.', 'Trop volumineux.', 'Demasiado grande.', '内容过大。'],
    429: [
      'Too many messages. Please send again in # s.',
      'Zu viele Nachrichten. Bitte senden Sie in # s erneut.',
      'Trop de messages. Veuillez renvoyer dans # s.',
      'Demasiados mensajes. Envíe de nuevo en # s.',
      '发送过于频繁，请在 # 秒后重新发送。',
    ],
    503: [
      'The service is busy. Please send again in a moment.',
      'Der Dienst ist überlastet. Bitte senden Sie gleich erneut.',
      'Service occupé. Veuillez renvoyer dans un instant.',
      'Servicio ocupado. Envíe de nuevo en un momento.',
      '服务繁忙，请稍后重新发送。',
    ],
    failed: [
      'Your message could not be sent.',
      'Ihre Nachricht konnte nicht gesendet werden.',
      'Votre message n’a pas pu être envoyé.',
      'No se pudo enviar su mensaje.',
      '您的消息未能发送。',
    ],
  }),
);

export const hasText = (name: unknown): name is string => typeof name === 'string' && texts.has(name);

const languageIndex = (form: HTMLFormElement): number => {
  const marked = unhidden(form).closest<HTMLElement>('[lang]');
  const known = [marked ? marked.lang : '', navigator.language].map((tag) =>
    languages.indexOf(tag.slice(0, 2).toLowerCase()),
  );
  return known.find((index) => index >= 0) || 0;
};

export const languageOf = (form: HTMLFormElement): string => languages[languageIndex(form)] || '';

/** `value` replaces # in the text. */
export function textFor(form: HTMLFormElement, name: string | number, value: string | number = ''): string {
  const [english = '', ...others] = texts.get(String(name)) || texts.get('failed') || [];
  // A function, so that $& in a value has no special meaning.
  return (others[languageIndex(form) - 1] || english).replace('#', () => String(value));
}
