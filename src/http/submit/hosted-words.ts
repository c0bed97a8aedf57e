/** Texts of hosted pages that do not come from the owner, in every language. */
import { type Language, languageTags } from '../../kernel/language.js';
import type { Notice } from './page-words.js';

export interface HostedWords {
  readonly send: string;
  /** Beside the label of an optional field. */
  readonly optional: string;
  /** The first entry of a select. */
  readonly choose: string;
  readonly upTo: (size: string) => string;
  /** Above the fields after a submission was rejected. */
  readonly notSent: Notice;
  /** Browsers do not restore them. */
  readonly chooseFilesAgain: string;
  readonly needsScript: string;
  readonly notOpenYet: (when: string) => Notice;
  readonly noFields: Notice;
}

export const hostedWords: Readonly<Record<Language, HostedWords>> = {
  en: {
    send: 'Send',
    optional: 'optional',
    choose: 'Please choose',
    upTo: (size) => `Up to ${size}.`,
    notSent: {
      title: 'Please check your entries',
      text: 'Your message has not been sent yet. Correct these fields and send again.',
    },
    chooseFilesAgain: 'If you chose files, please choose them again.',
    needsScript: 'This form has a spam check that needs JavaScript. Please turn it on and reload the page.',
    notOpenYet: (when) => ({ title: 'This form is not open yet', text: `It opens on ${when}.` }),
    noFields: { title: 'This form is not ready yet', text: 'It has no fields yet. Please come back later.' },
  },
  de: {
    send: 'Senden',
    optional: 'freiwillig',
    choose: 'Bitte wählen',
    upTo: (size) => `Höchstens ${size}.`,
    notSent: {
      title: 'Bitte prüfen Sie Ihre Angaben',
      text: 'Ihre Nachricht wurde noch nicht gesendet. Korrigieren Sie diese Felder und senden Sie noch einmal.',
    },
    chooseFilesAgain: 'Falls Sie Dateien ausgewählt hatten, wählen Sie sie bitte noch einmal aus.',
    needsScript:
      'Dieses Formular hat eine Spamprüfung, die JavaScript braucht. Bitte schalten Sie es ein und laden Sie die Seite neu.',
    notOpenYet: (when) => ({
      title: 'Dieses Formular ist noch nicht geöffnet',
      text: `Es öffnet am ${when}.`,
    }),
    noFields: {
      title: 'Dieses Formular ist noch nicht fertig',
      text: 'Es hat noch keine Felder. Bitte kommen Sie später wieder.',
    },
  },
  fr: {
    send: 'Envoyer',
    optional: 'facultatif',
    choose: 'Veuillez choisir',
    upTo: (size) => `${size} au maximum.`,
    notSent: {
      title: 'Veuillez vérifier votre saisie',
      text: 'Votre message n’a pas encore été envoyé. Corrigez ces champs et envoyez à nouveau.',
    },
    chooseFilesAgain: 'Si vous aviez choisi des fichiers, veuillez les choisir à nouveau.',
    needsScript:
      'Ce formulaire a un contrôle antispam qui nécessite JavaScript. Veuillez l’activer et recharger la page.',
    notOpenYet: (when) => ({
      title: 'Ce formulaire n’est pas encore ouvert',
      text: `Il ouvrira le ${when}.`,
    }),
    noFields: {
      title: 'Ce formulaire n’est pas encore prêt',
      text: 'Il n’a pas encore de champs. Veuillez revenir plus tard.',
    },
  },
  es: {
    send: 'Enviar',
    optional: 'opcional',
    choose: 'Elija una opción',
    upTo: (size) => `${size} como máximo.`,
    notSent: {
      title: 'Revise los datos, por favor',
      text: 'Su mensaje aún no se ha enviado. Corrija estos campos y envíelo de nuevo.',
    },
    chooseFilesAgain: 'Si había elegido archivos, elíjalos de nuevo, por favor.',
    needsScript:
      'Este formulario tiene un control antispam que necesita JavaScript. Actívelo y vuelva a cargar la página.',
    notOpenYet: (when) => ({
      title: 'Este formulario aún no está abierto',
      text: `Se abrirá el ${when}.`,
    }),
    noFields: {
      title: 'Este formulario aún no está listo',
      text: 'Todavía no tiene campos. Vuelva más tarde, por favor.',
    },
  },
  zh: {
    send: '发送',
    optional: '选填',
    choose: '请选择',
    upTo: (size) => `最大 ${size}。`,
    notSent: { title: '请检查您填写的内容', text: '您的消息尚未发送。请更正以下各项，然后重新发送。' },
    chooseFilesAgain: '如果您选择过文件，请重新选择。',
    needsScript: '此表单的反垃圾验证需要 JavaScript。请启用后重新加载页面。',
    notOpenYet: (when) => ({ title: '此表单尚未开放', text: `开放时间：${when}。` }),
    noFields: { title: '此表单尚未准备好', text: '表单中还没有任何字段。请稍后再来。' },
  },
};

/** In UTC, because the visitor's time zone is unknown. */
export const momentText = (at: number, language: Language): string =>
  `${new Intl.DateTimeFormat(languageTags[language], { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`;
