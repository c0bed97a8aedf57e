/** Messages about invalid fields, in the visitor's language: what to do, not what was done wrong. */

import { type Language, languageTags } from '../../kernel/language.js';
import type { EntryMode, Violation, ViolationCode } from '../../model/violation.js';
import { pageNumbers } from './page-numbers.js';
import type { Notice } from './page-words.js';

/** `limit` is formatted for that language. */
type Say = (limit: string) => string;

interface FieldWords extends Readonly<Record<Exclude<ViolationCode, 'required'>, Say>> {
  readonly required: Readonly<Record<EntryMode, string>>;
  /** For the page that lists the messages. */
  readonly notice: Notice;
}

const words: Readonly<Record<Language, FieldWords>> = {
  en: {
    notice: {
      title: 'Please check your entries',
      text: 'Your message has not been sent yet. Go back, correct these fields and send again.',
    },
    required: {
      write: 'Please fill in this field.',
      tick: 'Please tick this box.',
      choose: 'Please choose one of the options.',
      choose_some: 'Please choose at least one of the options.',
      choose_file: 'Please choose a file.',
    },
    type_email: () => 'Please enter an e-mail address, such as name@example.com.',
    type_url: () => 'Please enter a web address that starts with https:// or http://.',
    type_number: () => 'Please enter a number.',
    type_date: () => 'Please enter a valid date or time.',
    too_short: (limit) => `Please enter at least ${limit} characters.`,
    too_long: (limit) => `Please enter no more than ${limit} characters.`,
    too_small: (limit) => `Please enter ${limit} or more.`,
    too_large: (limit) => `Please enter ${limit} or less.`,
    not_a_choice: () => 'Please choose one of the options.',
    too_many: (limit) => `No more than ${limit} can be sent here.`,
    file_type: () => 'This kind of file or entry is not accepted here.',
    file_too_large: (limit) => `Please choose a file of no more than ${limit}.`,
    unknown_field: () => 'This form has no such field.',
  },
  de: {
    notice: {
      title: 'Bitte prüfen Sie Ihre Angaben',
      text: 'Ihre Nachricht wurde noch nicht gesendet. Gehen Sie zurück, korrigieren Sie diese Felder und senden Sie noch einmal.',
    },
    required: {
      write: 'Bitte füllen Sie dieses Feld aus.',
      tick: 'Bitte setzen Sie hier ein Häkchen.',
      choose: 'Bitte wählen Sie eine der Möglichkeiten.',
      choose_some: 'Bitte wählen Sie mindestens eine der Möglichkeiten.',
      choose_file: 'Bitte wählen Sie eine Datei.',
    },
    type_email: () => 'Bitte geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.',
    type_url: () => 'Bitte geben Sie eine Webadresse ein, die mit https:// oder http:// beginnt.',
    type_number: () => 'Bitte geben Sie eine Zahl ein.',
    type_date: () => 'Bitte geben Sie ein gültiges Datum oder eine gültige Uhrzeit ein.',
    too_short: (limit) => `Bitte geben Sie mindestens ${limit} Zeichen ein.`,
    too_long: (limit) => `Bitte geben Sie höchstens ${limit} Zeichen ein.`,
    too_small: (limit) => `Bitte geben Sie ${limit} oder mehr ein.`,
    too_large: (limit) => `Bitte geben Sie ${limit} oder weniger ein.`,
    not_a_choice: () => 'Bitte wählen Sie eine der Möglichkeiten.',
    too_many: (limit) => `Hier können höchstens ${limit} gesendet werden.`,
    file_type: () => 'Diese Art von Datei oder Angabe wird hier nicht angenommen.',
    file_too_large: (limit) => `Bitte wählen Sie eine Datei mit höchstens ${limit}.`,
    unknown_field: () => 'Dieses Feld gibt es in diesem Formular nicht.',
  },
  fr: {
    notice: {
      title: 'Veuillez vérifier votre saisie',
      text: 'Votre message n’a pas encore été envoyé. Revenez en arrière, corrigez ces champs et envoyez à nouveau.',
    },
    required: {
      write: 'Veuillez remplir ce champ.',
      tick: 'Veuillez cocher cette case.',
      choose: 'Veuillez choisir une des options.',
      choose_some: 'Veuillez choisir au moins une des options.',
      choose_file: 'Veuillez choisir un fichier.',
    },
    type_email: () => 'Veuillez saisir une adresse e-mail, par exemple nom@example.com.',
    type_url: () => 'Veuillez saisir une adresse web qui commence par https:// ou http://.',
    type_number: () => 'Veuillez saisir un nombre.',
    type_date: () => 'Veuillez saisir une date ou une heure valide.',
    too_short: (limit) => `Veuillez saisir au moins ${limit} caractères.`,
    too_long: (limit) => `Veuillez saisir au maximum ${limit} caractères.`,
    too_small: (limit) => `Veuillez saisir ${limit} ou plus.`,
    too_large: (limit) => `Veuillez saisir ${limit} ou moins.`,
    not_a_choice: () => 'Veuillez choisir une des options.',
    too_many: (limit) => `Vous ne pouvez pas en envoyer plus de ${limit} ici.`,
    file_type: () => 'Ce type de fichier ou de saisie n’est pas accepté ici.',
    file_too_large: (limit) => `Veuillez choisir un fichier de ${limit} au maximum.`,
    unknown_field: () => 'Ce formulaire n’a pas de champ de ce nom.',
  },
  es: {
    notice: {
      title: 'Revise los datos, por favor',
      text: 'Su mensaje aún no se ha enviado. Vuelva atrás, corrija estos campos y envíelo de nuevo.',
    },
    required: {
      write: 'Rellene este campo.',
      tick: 'Marque esta casilla.',
      choose: 'Elija una de las opciones.',
      choose_some: 'Elija al menos una de las opciones.',
      choose_file: 'Elija un archivo.',
    },
    type_email: () => 'Introduzca una dirección de correo electrónico, por ejemplo nombre@example.com.',
    type_url: () => 'Introduzca una dirección web que empiece por https:// o http://.',
    type_number: () => 'Introduzca un número.',
    type_date: () => 'Introduzca una fecha u hora válida.',
    too_short: (limit) => `Introduzca al menos ${limit} caracteres.`,
    too_long: (limit) => `Introduzca como máximo ${limit} caracteres.`,
    too_small: (limit) => `Introduzca ${limit} o más.`,
    too_large: (limit) => `Introduzca ${limit} o menos.`,
    not_a_choice: () => 'Elija una de las opciones.',
    too_many: (limit) => `Aquí no se pueden enviar más de ${limit}.`,
    file_type: () => 'Este tipo de archivo o de dato no se acepta aquí.',
    file_too_large: (limit) => `Elija un archivo de ${limit} como máximo.`,
    unknown_field: () => 'Este formulario no tiene ese campo.',
  },
  zh: {
    notice: { title: '请检查您填写的内容', text: '您的消息尚未发送。请返回，更正以下各项，然后重新发送。' },
    required: {
      write: '请填写此项。',
      tick: '请勾选此项。',
      choose: '请选择其中一个选项。',
      choose_some: '请至少选择一个选项。',
      choose_file: '请选择文件。',
    },
    type_email: () => '请输入电子邮件地址，例如 name@example.com。',
    type_url: () => '请输入以 https:// 或 http:// 开头的网址。',
    type_number: () => '请输入数字。',
    type_date: () => '请输入有效的日期或时间。',
    too_short: (limit) => `请至少输入 ${limit} 个字符。`,
    too_long: (limit) => `请最多输入 ${limit} 个字符。`,
    too_small: (limit) => `请输入 ${limit} 或更大的数值。`,
    too_large: (limit) => `请输入 ${limit} 或更小的数值。`,
    not_a_choice: () => '请选择其中一个选项。',
    too_many: (limit) => `此处最多只能发送 ${limit} 项。`,
    file_type: () => '此处不接受这种文件或内容。',
    file_too_large: (limit) => `请选择不超过 ${limit} 的文件。`,
    unknown_field: () => '此表单没有该字段。',
  },
};

export const fieldNotice = (language: Language): Notice => words[language].notice;

function limitText({ code, limit }: Violation, language: Language): string {
  if (limit === null) return '';
  if (code === 'file_too_large') return pageNumbers(language).size(limit);
  // Owners choose the limits of numbers, with as many decimals as they like.
  return code === 'too_small' || code === 'too_large'
    ? limit.toLocaleString(languageTags[language], { maximumFractionDigits: 20 })
    : pageNumbers(language).count(limit);
}

export const fieldMessage = (violation: Violation, language: Language): string =>
  violation.code === 'required'
    ? words[language].required[violation.entry]
    : words[language][violation.code](limitText(violation, language));
