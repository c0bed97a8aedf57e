/** Texts of the page that the link in a confirmation mail opens, in every language. */
import type { OptInState } from '../../domain/submissions/opt-in.js';
import type { Language } from '../../kernel/language.js';
import type { Notice } from './page-words.js';

export type ConfirmWords = Readonly<Record<OptInState, Notice>> & {
  readonly button: string;
  /** On the page after the form was submitted. */
  readonly mailSent: Notice;
};

export const confirmWords: Readonly<Record<Language, ConfirmWords>> = {
  en: {
    button: 'Confirm',
    mailSent: {
      title: 'Please check your e-mail',
      text: 'We have sent you an e-mail with a link. Open the link to confirm your address. Your message is delivered only after that.',
    },
    waiting: {
      title: 'Confirm your address',
      text: 'Press the button to confirm that you filled in this form. Your message is delivered after that.',
    },
    confirmed: { title: 'Confirmed', text: 'Thank you. Your message has been delivered.' },
    already_confirmed: {
      title: 'Already confirmed',
      text: 'You have already confirmed your address. There is nothing left to do.',
    },
    expired: {
      title: 'This link has expired',
      text: 'Your address was not confirmed in time. Please fill in the form again.',
    },
    full: {
      title: 'This form is full',
      text: 'It cannot accept more messages at the moment. Please get in touch in another way.',
    },
    unknown: {
      title: 'This link does not work',
      text: 'It is incomplete, or your message has been deleted. Open the link in the e-mail again, or fill in the form again.',
    },
  },
  de: {
    button: 'Bestätigen',
    mailSent: {
      title: 'Bitte sehen Sie in Ihr Postfach',
      text: 'Eine E-Mail mit einem Link ist auf dem Weg zu Ihnen. Öffnen Sie den Link, um Ihre Adresse zu bestätigen. Erst dann wird Ihre Nachricht weitergegeben.',
    },
    waiting: {
      title: 'Bestätigen Sie Ihre E-Mail-Adresse',
      text: 'Drücken Sie die Schaltfläche, um zu bestätigen, dass Sie dieses Formular ausgefüllt haben. Ihre Nachricht wird dann weitergegeben.',
    },
    confirmed: { title: 'Bestätigt', text: 'Vielen Dank. Ihre Nachricht wurde weitergegeben.' },
    already_confirmed: {
      title: 'Bereits bestätigt',
      text: 'Ihre Adresse wurde schon bestätigt. Sie müssen nichts weiter tun.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Ihre Adresse wurde nicht rechtzeitig bestätigt. Bitte füllen Sie das Formular noch einmal aus.',
    },
    full: {
      title: 'Dieses Formular ist voll',
      text: 'Es nimmt zurzeit keine weiteren Nachrichten an. Bitte melden Sie sich auf anderem Weg.',
    },
    unknown: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Er ist unvollständig, oder das Zugehörige wurde gelöscht. Öffnen Sie ihn noch einmal aus der E-Mail, oder füllen Sie das Formular noch einmal aus.',
    },
  },
  fr: {
    button: 'Confirmer',
    mailSent: {
      title: 'Consultez votre messagerie',
      text: 'Un e-mail contenant un lien est en route. Ouvrez ce lien pour confirmer votre adresse. Votre message ne sera transmis qu’ensuite.',
    },
    waiting: {
      title: 'Confirmez votre adresse e-mail',
      text: 'Appuyez sur le bouton pour confirmer que vous avez rempli ce formulaire. Votre message sera alors transmis.',
    },
    confirmed: { title: 'Confirmé', text: 'Merci. Votre message a été transmis.' },
    already_confirmed: {
      title: 'Déjà confirmé',
      text: 'Votre adresse a déjà été confirmée. Vous n’avez plus rien à faire.',
    },
    expired: {
      title: 'Ce lien a expiré',
      text: 'Votre adresse n’a pas été confirmée à temps. Veuillez remplir à nouveau le formulaire.',
    },
    full: {
      title: 'Ce formulaire est complet',
      text: 'Il n’accepte plus de messages pour le moment. Veuillez nous contacter autrement.',
    },
    unknown: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Il est incomplet, ou ce qu’il désignait a été supprimé. Ouvrez-le à nouveau depuis l’e-mail, ou remplissez à nouveau le formulaire.',
    },
  },
  es: {
    button: 'Confirmar',
    mailSent: {
      title: 'Revise su correo',
      text: 'Un mensaje con un enlace va de camino. Abra el enlace para confirmar su dirección. Solo entonces se enviará su mensaje.',
    },
    waiting: {
      title: 'Confirme su dirección de correo',
      text: 'Pulse el botón para confirmar que usted rellenó este formulario. Entonces se enviará su mensaje.',
    },
    confirmed: { title: 'Confirmado', text: 'Gracias. Su mensaje se ha enviado.' },
    already_confirmed: {
      title: 'Ya confirmado',
      text: 'Su dirección ya se había confirmado. No tiene que hacer nada más.',
    },
    expired: {
      title: 'Este enlace ha caducado',
      text: 'Su dirección no se confirmó a tiempo. Rellene de nuevo el formulario.',
    },
    full: {
      title: 'Este formulario está completo',
      text: 'Por ahora no acepta más mensajes. Póngase en contacto de otra manera.',
    },
    unknown: {
      title: 'Este enlace no funciona',
      text: 'Está incompleto, o aquello a lo que pertenecía se eliminó. Ábralo de nuevo desde el correo o rellene otra vez el formulario.',
    },
  },
  zh: {
    button: '确认',
    mailSent: {
      title: '请查看您的邮箱',
      text: '一封带有链接的邮件正在发送给您。请打开链接确认您的地址。确认后，您的信息才会被转交。',
    },
    waiting: {
      title: '确认您的电子邮件地址',
      text: '请点击按钮，确认是您填写了此表单。之后您的信息将被转交。',
    },
    confirmed: { title: '已确认', text: '谢谢。您的信息已转交。' },
    already_confirmed: { title: '此前已确认', text: '您的地址此前已经确认，无需再做任何操作。' },
    expired: { title: '链接已过期', text: '您的地址未能及时确认。请重新填写表单。' },
    full: { title: '此表单已满', text: '目前无法接收更多信息。请通过其他方式联系。' },
    unknown: {
      title: '此链接无效',
      text: '链接不完整，或其对应的内容已被删除。请从邮件中重新打开，或重新填写表单。',
    },
  },
};
