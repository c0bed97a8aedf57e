/**
 * All texts of the visitor pages, in every language: polite, sentence case, no exclamation marks, and always what the visitor can do
 * next. Numbers, sizes and times are passed in the format of that language.
 */
import type { Language } from '../../kernel/language.js';

export interface Notice {
  readonly title: string;
  readonly text: string;
}

export interface PageWords {
  readonly thanks: Notice;
  /** `when` as in "in 42 seconds". */
  readonly rateLimited: (when: string) => Notice;
  readonly unavailable: (when: string) => Notice;
  /** Used for `when` if the time is unknown. */
  readonly soon: string;
  readonly fileTooLarge: (size: string) => Notice;
  readonly tooLarge: (size: string) => Notice;
  readonly tooManyFiles: (count: string, isOne: boolean) => Notice;
  readonly tooManyParts: (count: string) => Notice;
  readonly noFiles: Notice;
  readonly notFromHere: Notice;
  readonly closed: Notice;
  readonly captchaFailed: Notice;
  readonly tooSlow: Notice;
  readonly conflict: Notice;
  readonly invalid: Notice;
  readonly notFound: Notice;
  readonly methodNotAllowed: Notice;
  readonly fault: Notice;
  readonly back: string;
  /** The same link after a rejected submission: it leads to the form, but to an empty one. */
  readonly leave: string;
  /** After a rejected submission. A link would load the form again, empty. Only the back button preserves what was typed. */
  readonly typedIsKept: string;
  /** Used when there is no URL to link to. */
  readonly useBackButton: string;
}

const en: PageWords = {
  thanks: { title: 'Thank you', text: 'Your message has been received.' },
  rateLimited: (when) => ({
    title: 'Please wait a moment',
    text: `Too many messages were sent in a short time. Please send again ${when}.`,
  }),
  unavailable: (when) => ({
    title: 'Please try again',
    text: `The service cannot accept your message at the moment. Please send it again ${when}.`,
  }),
  soon: 'in a moment',
  fileTooLarge: (size) => ({
    title: 'File too large',
    text: `The file is larger than ${size}. Choose a smaller one and send again.`,
  }),
  tooLarge: (size) => ({
    title: 'Too large',
    text: `What you sent is larger than ${size}. Shorten the text or choose smaller files, and send again.`,
  }),
  tooManyFiles: (count, isOne) => ({
    title: 'Too many files',
    text: `You chose more than ${count} ${isOne ? 'file' : 'files'}. Choose fewer and send again.`,
  }),
  tooManyParts: (count) => ({
    title: 'Too much at once',
    text: `What you sent has more than ${count} parts. Leave something out and send again.`,
  }),
  noFiles: {
    title: 'Files not accepted',
    text: 'This form does not accept files. Send your message without them.',
  },
  notFromHere: {
    title: 'Not possible from here',
    text: 'This form does not accept messages from here. Please get in touch in another way.',
  },
  closed: {
    title: 'This form is closed',
    text: 'It does not accept messages at the moment. Please get in touch in another way.',
  },
  captchaFailed: {
    title: 'Spam check failed',
    text: 'The check that you are a person failed. Go back, complete it and send again.',
  },
  tooSlow: {
    title: 'The connection was too slow',
    text: 'Your message did not arrive completely. Go back and send it again.',
  },
  conflict: {
    title: 'Already sent',
    text: 'This message was sent before with other content. Go back and send it again.',
  },
  invalid: {
    title: 'The message could not be read',
    text: 'Go back, check the form and send it again.',
  },
  notFound: {
    title: 'Form not found',
    text: 'There is no form at this address. Please get in touch in another way.',
  },
  methodNotAllowed: {
    title: 'Nothing to see here',
    text: 'This address receives what a form on a website sends. Please open that website and use its form.',
  },
  fault: {
    title: 'Something went wrong',
    text: 'Your message may not have been received. Go back and send it again in a moment.',
  },
  back: 'Back to the page',
  leave: 'Leave without sending',
  typedIsKept: 'Your browser’s back button takes you to the form. What you typed is still there.',
  useBackButton: 'Your browser’s back button takes you to the page you came from.',
};

const de: PageWords = {
  thanks: { title: 'Vielen Dank', text: 'Ihre Nachricht ist angekommen.' },
  rateLimited: (when) => ({
    title: 'Bitte warten Sie einen Augenblick',
    text: `In kurzer Zeit kamen zu viele Nachrichten. Bitte senden Sie ${when} noch einmal.`,
  }),
  unavailable: (when) => ({
    title: 'Gerade nicht möglich',
    text: `Der Dienst kann Ihre Nachricht im Moment nicht annehmen. Bitte senden Sie sie ${when} noch einmal.`,
  }),
  soon: 'in Kürze',
  fileTooLarge: (size) => ({
    title: 'Datei zu groß',
    text: `Die Datei ist größer als ${size}. Bitte wählen Sie eine kleinere und senden Sie noch einmal.`,
  }),
  tooLarge: (size) => ({
    title: 'Zu groß',
    text: `Ihre Nachricht ist größer als ${size}. Bitte kürzen Sie den Text oder wählen Sie kleinere Dateien und senden Sie noch einmal.`,
  }),
  tooManyFiles: (count, isOne) => ({
    title: 'Zu viele Dateien',
    text: `Sie haben mehr als ${count} ${isOne ? 'Datei' : 'Dateien'} ausgewählt. Bitte wählen Sie weniger aus und senden Sie noch einmal.`,
  }),
  tooManyParts: (count) => ({
    title: 'Zu viel auf einmal',
    text: `Ihre Nachricht hat mehr als ${count} Teile. Bitte lassen Sie etwas weg und senden Sie noch einmal.`,
  }),
  noFiles: {
    title: 'Keine Dateien möglich',
    text: 'Dieses Formular nimmt keine Dateien an. Bitte senden Sie Ihre Nachricht ohne Dateien.',
  },
  notFromHere: {
    title: 'Von hier nicht möglich',
    text: 'Dieses Formular nimmt von hier zurzeit keine Nachrichten an. Bitte nehmen Sie auf anderem Weg Kontakt auf.',
  },
  closed: {
    title: 'Dieses Formular ist geschlossen',
    text: 'Es nimmt zurzeit keine Nachrichten an. Bitte nehmen Sie auf anderem Weg Kontakt auf.',
  },
  captchaFailed: {
    title: 'Prüfung nicht bestanden',
    text: 'Die Prüfung, ob Sie ein Mensch sind, ist nicht gelungen. Bitte gehen Sie zurück, lösen Sie sie und senden Sie noch einmal.',
  },
  tooSlow: {
    title: 'Die Verbindung war zu langsam',
    text: 'Ihre Nachricht ist nicht vollständig angekommen. Bitte gehen Sie zurück und senden Sie sie noch einmal.',
  },
  conflict: {
    title: 'Bereits gesendet',
    text: 'Diese Nachricht wurde schon einmal mit anderem Inhalt gesendet. Bitte gehen Sie zurück und senden Sie sie noch einmal.',
  },
  invalid: {
    title: 'Die Nachricht war nicht lesbar',
    text: 'Bitte gehen Sie zurück, prüfen Sie das Formular und senden Sie es noch einmal.',
  },
  notFound: {
    title: 'Formular nicht gefunden',
    text: 'Unter dieser Adresse gibt es kein Formular. Bitte nehmen Sie auf anderem Weg Kontakt auf.',
  },
  methodNotAllowed: {
    title: 'Hier gibt es nichts zu sehen',
    text: 'Diese Adresse empfängt, was ein Formular auf einer Website sendet. Bitte öffnen Sie die Website und benutzen Sie ihr Formular.',
  },
  fault: {
    title: 'Etwas ist schiefgegangen',
    text: 'Ihre Nachricht ist vielleicht nicht angekommen. Bitte gehen Sie zurück und senden Sie sie in Kürze noch einmal.',
  },
  back: 'Zurück zur Seite',
  leave: 'Ohne Senden verlassen',
  typedIsKept: 'Die Zurück-Taste Ihres Browsers führt zum Formular. Ihre Eingaben sind noch da.',
  useBackButton: 'Die Zurück-Taste Ihres Browsers führt zu der Seite, von der Sie kamen.',
};

const fr: PageWords = {
  thanks: { title: 'Merci', text: 'Votre message a bien été reçu.' },
  rateLimited: (when) => ({
    title: 'Veuillez patienter un instant',
    text: `Trop de messages sont arrivés en peu de temps. Veuillez renvoyer le vôtre ${when}.`,
  }),
  unavailable: (when) => ({
    title: 'Impossible pour le moment',
    text: `Le service ne peut pas recevoir votre message pour le moment. Veuillez le renvoyer ${when}.`,
  }),
  soon: 'dans un instant',
  fileTooLarge: (size) => ({
    title: 'Fichier trop volumineux',
    text: `Le fichier dépasse ${size}. Choisissez-en un plus petit et envoyez à nouveau.`,
  }),
  tooLarge: (size) => ({
    title: 'Envoi trop volumineux',
    text: `Votre envoi dépasse ${size}. Raccourcissez le texte ou choisissez des fichiers plus petits, puis envoyez à nouveau.`,
  }),
  tooManyFiles: (count, isOne) => ({
    title: 'Trop de fichiers',
    text: `Vous avez choisi plus de ${count} ${isOne ? 'fichier' : 'fichiers'}. Choisissez-en moins et envoyez à nouveau.`,
  }),
  tooManyParts: (count) => ({
    title: 'Trop d’éléments à la fois',
    text: `Votre envoi compte plus de ${count} éléments. Retirez-en et envoyez à nouveau.`,
  }),
  noFiles: {
    title: 'Fichiers non acceptés',
    text: 'Ce formulaire n’accepte pas de fichiers. Veuillez envoyer votre message sans fichier.',
  },
  notFromHere: {
    title: 'Impossible depuis ici',
    text: 'Ce formulaire n’accepte pas de messages depuis ici pour le moment. Veuillez prendre contact autrement.',
  },
  closed: {
    title: 'Ce formulaire est fermé',
    text: 'Il n’accepte pas de messages pour le moment. Veuillez prendre contact autrement.',
  },
  captchaFailed: {
    title: 'Vérification non réussie',
    text: 'La vérification que vous êtes une personne n’a pas abouti. Revenez en arrière, effectuez-la et envoyez à nouveau.',
  },
  tooSlow: {
    title: 'La connexion était trop lente',
    text: 'Votre message n’est pas arrivé en entier. Revenez en arrière et envoyez-le à nouveau.',
  },
  conflict: {
    title: 'Déjà envoyé',
    text: 'Ce message a déjà été envoyé avec un autre contenu. Revenez en arrière et envoyez-le à nouveau.',
  },
  invalid: {
    title: 'Le message n’a pas pu être lu',
    text: 'Revenez en arrière, vérifiez le formulaire et envoyez-le à nouveau.',
  },
  notFound: {
    title: 'Formulaire introuvable',
    text: 'Il n’y a pas de formulaire à cette adresse. Veuillez prendre contact autrement.',
  },
  methodNotAllowed: {
    title: 'Rien à voir ici',
    text: 'Cette adresse reçoit ce qu’envoie le formulaire d’un site web. Veuillez ouvrir ce site et utiliser son formulaire.',
  },
  fault: {
    title: 'Une erreur s’est produite',
    text: 'Votre message n’a peut-être pas été reçu. Revenez en arrière et renvoyez-le dans un instant.',
  },
  back: 'Retour à la page',
  leave: 'Quitter sans envoyer',
  typedIsKept:
    'Le bouton Précédent de votre navigateur vous ramène au formulaire. Ce que vous avez saisi s’y trouve encore.',
  useBackButton: 'Le bouton Précédent de votre navigateur vous ramène à la page d’où vous venez.',
};

const es: PageWords = {
  thanks: { title: 'Gracias', text: 'Hemos recibido su mensaje.' },
  rateLimited: (when) => ({
    title: 'Espere un momento, por favor',
    text: `Han llegado demasiados mensajes en poco tiempo. Vuelva a enviar el suyo ${when}.`,
  }),
  unavailable: (when) => ({
    title: 'No es posible en este momento',
    text: `El servicio no puede recibir su mensaje en este momento. Vuelva a enviarlo ${when}.`,
  }),
  soon: 'dentro de un momento',
  fileTooLarge: (size) => ({
    title: 'Archivo demasiado grande',
    text: `El archivo supera ${size}. Elija uno más pequeño y vuelva a enviar.`,
  }),
  tooLarge: (size) => ({
    title: 'Envío demasiado grande',
    text: `Su envío supera ${size}. Acorte el texto o elija archivos más pequeños y vuelva a enviar.`,
  }),
  tooManyFiles: (count, isOne) => ({
    title: 'Demasiados archivos',
    text: `Ha elegido más de ${count} ${isOne ? 'archivo' : 'archivos'}. Elija menos y vuelva a enviar.`,
  }),
  tooManyParts: (count) => ({
    title: 'Demasiado de una vez',
    text: `Su envío tiene más de ${count} partes. Quite algunas y vuelva a enviar.`,
  }),
  noFiles: {
    title: 'No se admiten archivos',
    text: 'Este formulario no admite archivos. Envíe su mensaje sin ellos.',
  },
  notFromHere: {
    title: 'No es posible desde aquí',
    text: 'Este formulario no admite mensajes desde aquí en este momento. Póngase en contacto por otro medio, por favor.',
  },
  closed: {
    title: 'Este formulario está cerrado',
    text: 'No admite mensajes en este momento. Póngase en contacto por otro medio, por favor.',
  },
  captchaFailed: {
    title: 'Comprobación no superada',
    text: 'No se ha podido comprobar que usted es una persona. Vuelva atrás, complete la comprobación y envíe de nuevo.',
  },
  tooSlow: {
    title: 'La conexión era demasiado lenta',
    text: 'Su mensaje no ha llegado completo. Vuelva atrás y envíelo de nuevo.',
  },
  conflict: {
    title: 'Ya enviado',
    text: 'Este mensaje ya se envió con otro contenido. Vuelva atrás y envíelo de nuevo.',
  },
  invalid: {
    title: 'No se ha podido leer el mensaje',
    text: 'Vuelva atrás, revise el formulario y envíelo de nuevo.',
  },
  notFound: {
    title: 'Formulario no encontrado',
    text: 'No hay ningún formulario en esta dirección. Póngase en contacto por otro medio, por favor.',
  },
  methodNotAllowed: {
    title: 'Aquí no hay nada que ver',
    text: 'Esta dirección recibe lo que envía el formulario de un sitio web. Abra ese sitio y use su formulario, por favor.',
  },
  fault: {
    title: 'Algo ha fallado',
    text: 'Es posible que su mensaje no se haya recibido. Vuelva atrás y envíelo de nuevo dentro de un momento.',
  },
  back: 'Volver a la página',
  leave: 'Salir sin enviar',
  typedIsKept: 'El botón Atrás de su navegador le lleva al formulario. Lo que usted escribió sigue ahí.',
  useBackButton: 'El botón Atrás de su navegador le lleva a la página de la que vino.',
};

const zh: PageWords = {
  thanks: { title: '谢谢您', text: '您的留言已收到。' },
  rateLimited: (when) => ({ title: '请稍候', text: `短时间内收到的留言过多。请在${when}重新发送。` }),
  unavailable: (when) => ({ title: '暂时无法接收', text: `服务暂时无法接收您的留言。请在${when}重新发送。` }),
  soon: '片刻之后',
  fileTooLarge: (size) => ({ title: '文件过大', text: `文件超过 ${size}。请选择较小的文件后重新发送。` }),
  tooLarge: (size) => ({
    title: '内容过大',
    text: `您发送的内容超过 ${size}。请缩短文字或选择较小的文件，然后重新发送。`,
  }),
  tooManyFiles: (count) => ({
    title: '文件过多',
    text: `您选择的文件超过 ${count} 个。请减少文件后重新发送。`,
  }),
  tooManyParts: (count) => ({
    title: '内容过多',
    text: `您发送的内容超过 ${count} 项。请删减后重新发送。`,
  }),
  noFiles: { title: '不接收文件', text: '此表单不接收文件。请不要附带文件，重新发送您的留言。' },
  notFromHere: { title: '无法从此处发送', text: '此表单目前不接收来自此处的留言。请通过其他方式联系。' },
  closed: { title: '此表单已关闭', text: '目前不接收留言。请通过其他方式联系。' },
  captchaFailed: { title: '验证未通过', text: '未能确认您是真人。请返回并完成验证，然后重新发送。' },
  tooSlow: { title: '连接过慢', text: '您的留言未能完整送达。请返回并重新发送。' },
  conflict: { title: '已经发送过', text: '此留言曾以不同的内容发送过。请返回并重新发送。' },
  invalid: { title: '无法读取留言', text: '请返回，检查表单后重新发送。' },
  notFound: { title: '找不到表单', text: '此地址没有表单。请通过其他方式联系。' },
  methodNotAllowed: {
    title: '此处没有可显示的内容',
    text: '此地址用于接收网站表单发送的内容。请打开相应网站并使用其中的表单。',
  },
  fault: { title: '出现问题', text: '您的留言可能未被收到。请返回，稍后重新发送。' },
  back: '返回页面',
  leave: '不发送并离开',
  typedIsKept: '使用浏览器的后退按钮可回到表单，您填写的内容仍会保留。',
  useBackButton: '使用浏览器的后退按钮可回到之前的页面。',
};

export const pageWords: Readonly<Record<Language, PageWords>> = { en, de, fr, es, zh };
