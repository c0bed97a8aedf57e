/** The words of a digest, in every language of the visitor pages. Counts are passed already formatted. */
import { type Language, languageTags } from '../../../kernel/language.js';
import { wallTime } from '../../../model/digest.js';

export interface DigestWords {
  readonly newSubmissions: (count: number, written: string) => string;
  readonly period: (first: string, last: string) => string;
  readonly more: (count: number, written: string) => string;
  readonly moreForms: (written: string) => string;
  readonly newest: string;
  /** The title of a submission without any field values. */
  readonly submission: string;
  readonly openAll: string;
  readonly care: string;
  readonly why: (recipient: string) => string;
  readonly unsubscribe: string;
}

const en: DigestWords = {
  newSubmissions: (count, written) => (count === 1 ? '1 new submission' : `${written} new submissions`),
  period: (first, last) => `${first} to ${last}`,
  more: (count, written) => `${written} more ${count === 1 ? 'is' : 'are'} not shown here.`,
  moreForms: (written) => `${written} more forms`,
  newest: 'Newest submissions',
  submission: 'Submission',
  openAll: 'Open all submissions',
  care: 'Visitors of your website wrote what is shown above. Open links only if you expect them.',
  why: (recipient) => `You received this e-mail because ${recipient} gets a digest of new submissions.`,
  unsubscribe: 'Unsubscribe',
};

const de: DigestWords = {
  newSubmissions: (count, written) => (count === 1 ? '1 neue Einsendung' : `${written} neue Einsendungen`),
  period: (first, last) => `${first} bis ${last}`,
  more: (count, written) =>
    count === 1
      ? '1 weitere Einsendung wird hier nicht gezeigt.'
      : `${written} weitere Einsendungen werden hier nicht gezeigt.`,
  moreForms: (written) => `${written} weitere Formulare`,
  newest: 'Neueste Einsendungen',
  submission: 'Einsendung',
  openAll: 'Alle Einsendungen öffnen',
  care: 'Der Inhalt oben stammt von Besuchern Ihrer Website. Öffnen Sie Links nur, wenn Sie sie erwarten.',
  why: (recipient) => `Sie erhalten diese Mail, weil ${recipient} eine Übersicht neuer Einsendungen bekommt.`,
  unsubscribe: 'Abbestellen',
};

const fr: DigestWords = {
  newSubmissions: (count, written) => (count === 1 ? '1 nouvel envoi' : `${written} nouveaux envois`),
  period: (first, last) => `du ${first} au ${last}`,
  more: (count, written) =>
    count === 1
      ? '1 autre envoi n’est pas affiché ici.'
      : `${written} autres envois ne sont pas affichés ici.`,
  moreForms: (written) => `${written} autres formulaires`,
  newest: 'Derniers envois',
  submission: 'Envoi',
  openAll: 'Ouvrir tous les envois',
  care: 'Le contenu ci-dessus a été écrit par des visiteurs de votre site. N’ouvrez les liens que si vous les attendez.',
  why: (recipient) =>
    `Vous recevez cet e-mail parce que ${recipient} reçoit un récapitulatif des nouveaux envois.`,
  unsubscribe: 'Se désabonner',
};

const es: DigestWords = {
  newSubmissions: (count, written) => (count === 1 ? '1 envío nuevo' : `${written} envíos nuevos`),
  period: (first, last) => `del ${first} al ${last}`,
  more: (count, written) =>
    count === 1 ? '1 envío más no se muestra aquí.' : `${written} envíos más no se muestran aquí.`,
  moreForms: (written) => `${written} formularios más`,
  newest: 'Envíos más recientes',
  submission: 'Envío',
  openAll: 'Abrir todos los envíos',
  care: 'Visitantes de su sitio web escribieron lo que se muestra arriba. Abra los enlaces solo si los espera.',
  why: (recipient) => `Recibe este correo porque ${recipient} recibe un resumen de los envíos nuevos.`,
  unsubscribe: 'Cancelar la suscripción',
};

const zh: DigestWords = {
  newSubmissions: (_, written) => `${written} 条新提交`,
  period: (first, last) => `${first} 至 ${last}`,
  more: (_, written) => `另有 ${written} 条提交未在此显示。`,
  moreForms: (written) => `另有 ${written} 个表单`,
  newest: '最新提交',
  submission: '提交',
  openAll: '打开全部提交',
  care: '以上内容由您网站的访客填写。请仅在您预期收到时打开其中的链接。',
  why: (recipient) => `您收到此邮件，是因为 ${recipient} 会收到新提交的汇总。`,
  unsubscribe: '退订',
};

export const digestWords: Readonly<Record<Language, DigestWords>> = { en, de, fr, es, zh };

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** For example 18 Nov 2026, 07:55, in the format of that language. */
export function timeIn(language: Language, timeZone: string, at: number): string {
  if (language !== 'en') {
    const format = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
    return new Date(at).toLocaleString(languageTags[language], format);
  }
  const wall = new Date(wallTime(timeZone, at));
  return (
    `${wall.getUTCDate()} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}, ` +
    wall.toISOString().slice(11, 16)
  );
}
