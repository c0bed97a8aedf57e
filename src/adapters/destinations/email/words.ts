/** The words of a notification, in every language of the visitor pages. */
import { type Language, languageTags } from '../../../kernel/language.js';
import { humanTime } from '../../../kernel/shown-text.js';
import { nothing } from '../../../kernel/value-text.js';

export interface MailWords {
  /** The subject when the sender is unknown. */
  readonly newSubmission: (form: string) => string;
  /** Shown below the name of the form. `sender` is null if unknown. */
  readonly lead: (sender: string | null, when: string) => string;
  readonly replyTo: (address: string) => string;
  readonly moreFields: (count: number) => string;
  readonly moreFiles: (count: number) => string;
  readonly files: (count: number) => string;
  readonly attached: string;
  readonly field: (name: string) => string;
  readonly noFields: string;
  readonly empty: string;
  readonly shortened: (shown: string, whole: string | null) => string;
  readonly seeAll: string;
  readonly open: string;
  readonly facts: Readonly<Record<'from' | 'ip' | 'browser' | 'received' | 'submission', string>>;
  readonly care: string;
  readonly why: (recipient: string, form: string, project: string) => string;
  readonly unsubscribe: string;
}

const en: MailWords = {
  newSubmission: (form) => `New submission: ${form}`,
  lead: (sender, when) => (sender === null ? `New submission, ${when}` : `From ${sender}, ${when}`),
  replyTo: (address) => `Reply to this mail to reach ${address}.`,
  moreFields: (count) => `${count === 1 ? '1 more field is' : `${count} more fields are`} not shown here.`,
  moreFiles: (count) => `${count === 1 ? '1 more file is' : `${count} more files are`} not shown here.`,
  files: (count) => (count === 1 ? '1 file' : `${count} files`),
  attached: 'attached',
  field: (name) => `field ${name}`,
  empty: nothing,
  noFields: 'The form was sent without any fields.',
  shortened: (shown, whole) =>
    `Shortened to the first ${shown}${whole === null ? '' : ` of ${whole}`} characters.`,
  seeAll: ' Open the submission to see all of it.',
  open: 'Open the submission',
  facts: {
    from: 'Sent from',
    ip: 'IP address',
    browser: 'Browser',
    received: 'Received',
    submission: 'Submission',
  },
  care: 'A visitor of your website wrote what is shown above. Open links and files only if you expect them.',
  why: (recipient, form, project) =>
    `You received this e-mail because ${recipient} is notified of new submissions to “${form}” in the project “${project}”.`,
  unsubscribe: 'Unsubscribe from these mails',
};

const de: MailWords = {
  newSubmission: (form) => `Neue Einsendung: ${form}`,
  lead: (sender, when) => (sender === null ? `Neue Einsendung, ${when}` : `Von ${sender}, ${when}`),
  replyTo: (address) => `Ihre Antwort auf diese Mail geht an ${address}.`,
  moreFields: (count) =>
    count === 1
      ? '1 weiteres Feld wird hier nicht gezeigt.'
      : `${count} weitere Felder werden hier nicht gezeigt.`,
  moreFiles: (count) =>
    count === 1
      ? '1 weitere Datei wird hier nicht gezeigt.'
      : `${count} weitere Dateien werden hier nicht gezeigt.`,
  files: (count) => (count === 1 ? '1 Datei' : `${count} Dateien`),
  attached: 'angehängt',
  field: (name) => `Feld ${name}`,
  empty: '(leer)',
  noFields: 'Das Formular wurde ohne Felder gesendet.',
  shortened: (shown, whole) =>
    `Gekürzt auf die ersten ${shown}${whole === null ? '' : ` von ${whole}`} Zeichen.`,
  seeAll: ' Öffnen Sie die Einsendung, um alles zu sehen.',
  open: 'Einsendung öffnen',
  facts: {
    from: 'Gesendet von',
    ip: 'IP-Adresse',
    browser: 'Browser',
    received: 'Empfangen',
    submission: 'Einsendung',
  },
  care: 'Der Inhalt oben stammt von einem Besucher Ihrer Website. Öffnen Sie Links und Dateien nur, wenn Sie sie erwarten.',
  why: (recipient, form, project) =>
    `Sie erhalten diese Mail, weil ${recipient} über neue Einsendungen an „${form}“ im Projekt „${project}“ benachrichtigt wird.`,
  unsubscribe: 'Diese Mails abbestellen',
};

const fr: MailWords = {
  newSubmission: (form) => `Nouvel envoi : ${form}`,
  lead: (sender, when) => (sender === null ? `Nouvel envoi, ${when}` : `De ${sender}, ${when}`),
  replyTo: (address) => `Votre réponse à cet e-mail sera envoyée à ${address}.`,
  moreFields: (count) =>
    count === 1 ? '1 autre champ n’est pas affiché ici.' : `${count} autres champs ne sont pas affichés ici.`,
  moreFiles: (count) =>
    count === 1
      ? '1 autre fichier n’est pas affiché ici.'
      : `${count} autres fichiers ne sont pas affichés ici.`,
  files: (count) => (count === 1 ? '1 fichier' : `${count} fichiers`),
  attached: 'en pièce jointe',
  field: (name) => `champ ${name}`,
  empty: '(vide)',
  noFields: 'Le formulaire a été envoyé sans aucun champ.',
  shortened: (shown, whole) =>
    `Limité aux ${shown} premiers caractères${whole === null ? '' : ` sur ${whole}`}.`,
  seeAll: ' Ouvrez l’envoi pour tout voir.',
  open: 'Ouvrir l’envoi',
  facts: {
    from: 'Envoyé depuis',
    ip: 'Adresse IP',
    browser: 'Navigateur',
    received: 'Reçu',
    submission: 'Envoi',
  },
  care: 'Le contenu ci-dessus a été écrit par un visiteur de votre site. N’ouvrez les liens et les fichiers que si vous les attendez.',
  why: (recipient, form, project) =>
    `Vous recevez cet e-mail parce que ${recipient} est averti des nouveaux envois au formulaire « ${form} » du projet « ${project} ».`,
  unsubscribe: 'Ne plus recevoir ces e-mails',
};

const es: MailWords = {
  newSubmission: (form) => `Nuevo envío: ${form}`,
  lead: (sender, when) => (sender === null ? `Nuevo envío, ${when}` : `De ${sender}, ${when}`),
  replyTo: (address) => `Su respuesta a este correo se enviará a ${address}.`,
  moreFields: (count) =>
    count === 1 ? '1 campo más no se muestra aquí.' : `${count} campos más no se muestran aquí.`,
  moreFiles: (count) =>
    count === 1 ? '1 archivo más no se muestra aquí.' : `${count} archivos más no se muestran aquí.`,
  files: (count) => (count === 1 ? '1 archivo' : `${count} archivos`),
  attached: 'adjunto',
  field: (name) => `campo ${name}`,
  empty: '(vacío)',
  noFields: 'El formulario se envió sin ningún campo.',
  shortened: (shown, whole) =>
    `Abreviado a los primeros ${shown}${whole === null ? '' : ` de ${whole}`} caracteres.`,
  seeAll: ' Abra el envío para verlo completo.',
  open: 'Abrir el envío',
  facts: {
    from: 'Enviado desde',
    ip: 'Dirección IP',
    browser: 'Navegador',
    received: 'Recibido',
    submission: 'Envío',
  },
  care: 'Un visitante de su sitio web escribió lo que se muestra arriba. Abra los enlaces y archivos solo si los espera.',
  why: (recipient, form, project) =>
    `Recibe este correo porque se avisa a ${recipient} de los nuevos envíos a «${form}» del proyecto «${project}».`,
  unsubscribe: 'Dejar de recibir estos correos',
};

const zh: MailWords = {
  newSubmission: (form) => `新提交：${form}`,
  lead: (sender, when) => (sender === null ? `新提交，${when}` : `来自 ${sender}，${when}`),
  replyTo: (address) => `直接回复此邮件，即可回复 ${address}。`,
  moreFields: (count) => `另有 ${count} 个字段未在此显示。`,
  moreFiles: (count) => `另有 ${count} 个文件未在此显示。`,
  files: (count) => `${count} 个文件`,
  attached: '已附加',
  field: (name) => `字段 ${name}`,
  empty: '（空）',
  noFields: '提交的表单没有任何字段。',
  shortened: (shown, whole) => `仅显示前 ${shown} 个字符${whole === null ? '' : `，共 ${whole} 个`}。`,
  seeAll: '请打开该提交查看全部内容。',
  open: '打开该提交',
  facts: {
    from: '来源页面',
    ip: 'IP 地址',
    browser: '浏览器',
    received: '收到时间',
    submission: '提交编号',
  },
  care: '以上内容由您网站的访客填写。请仅在您预期收到时打开其中的链接和文件。',
  why: (recipient, form, project) =>
    `您收到此邮件，是因为 ${recipient} 会收到项目“${project}”中表单“${form}”的新提交通知。`,
  unsubscribe: '退订这些邮件',
};

export const mailWords: Readonly<Record<Language, MailWords>> = { en, de, fr, es, zh };

/** In the format of that language, always in UTC. */
export function writtenTime(language: Language, ms: number): string {
  if (language === 'en') return humanTime(ms);
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Date(ms).toLocaleString(languageTags[language], format)} UTC`;
}

export const writtenCount = (language: Language, count: number): string =>
  count.toLocaleString(languageTags[language]);
