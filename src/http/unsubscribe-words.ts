/** Texts of the page that "Unsubscribe" in a mail opens. */
import type { Language } from '../kernel/language.js';
import type { Notice } from './submit/page-words.js';

interface UnsubscribeWords {
  readonly ask: (address: string) => Notice;
  readonly unsubscribe: string;
  readonly done: (address: string) => Notice;
  readonly resubscribe: string;
  readonly invalid: Notice;
}

export const unsubscribeWords: Readonly<Record<Language, UnsubscribeWords>> = {
  en: {
    ask: (address) => ({
      title: 'Unsubscribe?',
      text: `${address} gets mails about new submissions to a form.`,
    }),
    unsubscribe: 'Unsubscribe',
    done: (address) => ({
      title: 'You are unsubscribed',
      text: `${address} gets no more of these mails.`,
    }),
    resubscribe: 'Subscribe again',
    invalid: { title: 'This link does not work', text: 'Open it from the mail again, or copy all of it.' },
  },
  de: {
    ask: (address) => ({
      title: 'Abbestellen?',
      text: `${address} erhält Mails über neue Einsendungen an ein Formular.`,
    }),
    unsubscribe: 'Abbestellen',
    done: (address) => ({
      title: 'Sie haben abbestellt',
      text: `${address} erhält diese Mails nicht mehr.`,
    }),
    resubscribe: 'Wieder abonnieren',
    invalid: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Bitte öffnen Sie ihn noch einmal aus der Mail oder kopieren Sie ihn vollständig.',
    },
  },
  fr: {
    ask: (address) => ({
      title: 'Se désabonner ?',
      text: `${address} reçoit des e-mails sur les nouveaux envois d’un formulaire.`,
    }),
    unsubscribe: 'Se désabonner',
    done: (address) => ({
      title: 'Vous êtes désabonné',
      text: `${address} ne reçoit plus ces e-mails.`,
    }),
    resubscribe: 'Se réabonner',
    invalid: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Veuillez l’ouvrir à nouveau depuis l’e-mail ou le copier en entier.',
    },
  },
  es: {
    ask: (address) => ({
      title: '¿Cancelar la suscripción?',
      text: `${address} recibe correos sobre los nuevos envíos de un formulario.`,
    }),
    unsubscribe: 'Cancelar la suscripción',
    done: (address) => ({
      title: 'Suscripción cancelada',
      text: `${address} ya no recibe estos correos.`,
    }),
    resubscribe: 'Volver a suscribirse',
    invalid: {
      title: 'Este enlace no funciona',
      text: 'Ábralo de nuevo desde el correo o cópielo completo, por favor.',
    },
  },
  zh: {
    ask: (address) => ({ title: '要退订吗？', text: `${address} 会收到有关表单新提交的邮件。` }),
    unsubscribe: '退订',
    done: (address) => ({ title: '您已退订', text: `${address} 不会再收到这些邮件。` }),
    resubscribe: '重新订阅',
    invalid: { title: '此链接无效', text: '请从邮件中重新打开链接，或完整复制链接。' },
  },
};
