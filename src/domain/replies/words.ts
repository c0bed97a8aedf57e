/** The footer of every reply, in the languages of the pages that visitors see. */
import type { Autoresponder } from '../../contract/autoresponder.js';

interface Words {
  /** The value of the `lang` attribute. */
  readonly tag: string;
  /** Says why the recipient gets this mail, and that no others follow. */
  readonly footer: (site: string, form: string) => readonly string[];
}

export const replyWords: Readonly<Record<Autoresponder['language'], Words>> = {
  en: {
    tag: 'en',
    footer: (site, form) => [
      `This is an automatic reply from ${site}. Someone entered this address in the form “${form}”.`,
      'If this was not you, ignore this e-mail: your address was not added to any list.',
    ],
  },
  de: {
    tag: 'de',
    footer: (site, form) => [
      `Dies ist eine automatische Antwort von ${site}. Jemand hat diese Adresse im Formular „${form}“ eingetragen.`,
      'Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Ihre Adresse wurde in keine Liste aufgenommen.',
    ],
  },
  fr: {
    tag: 'fr',
    footer: (site, form) => [
      `Ceci est une réponse automatique de ${site}. Quelqu’un a saisi cette adresse dans le formulaire « ${form} ».`,
      'Si ce n’était pas vous, ignorez cet e-mail : votre adresse n’a été ajoutée à aucune liste.',
    ],
  },
  es: {
    tag: 'es',
    footer: (site, form) => [
      `Esta es una respuesta automática de ${site}. Alguien introdujo esta dirección en el formulario «${form}».`,
      'Si no fue usted, ignore este correo: su dirección no se ha añadido a ninguna lista.',
    ],
  },
  zh: {
    tag: 'zh-Hans',
    footer: (site, form) => [
      `这是来自 ${site} 的自动回复。有人在表单“${form}”中填写了此邮箱地址。`,
      '如果不是您本人填写,请忽略此邮件:您的地址没有被加入任何列表。',
    ],
  },
};
