/**
 * A form with the members of its prototype. A field named `elements`, `closest` or `append` shadows the form's own member of that
 * name, and a field's name must not prevent a form from being sent.
 */
export const unhidden = (form: HTMLFormElement): HTMLFormElement =>
  new Proxy(HTMLFormElement.prototype, {
    get(prototype, name) {
      const member: unknown = Reflect.get(prototype, name, form);
      return typeof member === 'function' ? member.bind(form) : member;
    },
  });
