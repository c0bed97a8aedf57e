/** The kinds of destinations: what they do and what they need. */

// The kinds
export const channelDescription = 'A message in a channel';
export const webhookUrl = 'Webhook URL';
export const webhookUrlDescription = (service: string): string =>
  `Paste the URL that ${service} gave you. It is a secret: anyone who has it can post there.`;
export const webhook = 'Webhook';
export const webhookDescription = 'A signed HTTP request to your server';
export const webhookStepUrl = 'Enter the URL of your endpoint. Respond with a 2xx status within 15 seconds.';
export const webhookStepSigned = 'Each request is signed with a secret, so your endpoint can verify it.';
export const url = 'URL';
export const method = 'Method';
export const format = 'Format';
export const urlEncoded = 'URL-encoded';
export const headers = 'Headers';
export const headersDescription =
  'Sent with every request, up to 20. Values that look like credentials are not shown again.';
export const signingSecret = 'Signing secret';
export const personErased = 'Report erased people';
export const personErasedDescription =
  'After a person is erased, your endpoint gets the event person.erased with the IDs of their submissions, so you can erase them there too.';
export const email = 'E-mail';
export const emailDescription = 'A message to your team';
export const emailStep =
  'Enter at least one address. Replies go to the visitor if the form has an e-mail field.';
export const emailTo = 'To';
export const emailCc = 'Cc';
export const emailBcc = 'Bcc';
export const emailBccDescription = 'At most 20 addresses in each list.';
export const emailSubject = 'Subject';
export const emailSubjectDescription =
  'Empty uses the names of the visitor and the form. {{fields.name}} is what the visitor entered in the field name.';
export const emailText = 'Text';
export const emailTextDescription =
  'Empty shows all fields and files. {{submission.url}} links to the submission.';
export const emailHtml = 'HTML';
export const emailHtmlDescription = 'Empty makes it from the text, or shows all fields. Values are escaped.';
export const emailReplyTo = 'Replies go to';
export const emailRoute = 'Route by a field';
export const emailRouteDescription =
  'Sends to other addresses as well, depending on what the visitor chose. Never to an address that the visitor typed.';
export const emailDigest = 'Digest';
export const emailDigestDescription = 'One e-mail about all submissions instead of one for each.';
export const emailFromName = 'Sender name';
export const emailFromNameDescription = 'Empty uses the name of the mail server’s sender.';
export const emailFiles = 'Files';
export const emailFileLinks = 'As links';
export const emailFilesAttached = 'Attached, up to 5 MB';
export const slackStepApp = 'Open api.slack.com/apps and create an app for your workspace.';
export const slackStepOn = 'Under Incoming Webhooks, turn them on and choose “Add New Webhook”.';
export const slackStepCopy = 'Select the channel, then copy the webhook URL.';
export const discordStepSettings = 'Open the settings of the channel and go to Integrations.';
export const discordStepNew = 'Choose Webhooks, then “New Webhook”.';
export const discordStepCopy = 'Choose “Copy Webhook URL”.';
export const teamsStepMenu = 'Next to the channel, open the ⋯ menu and choose Workflows.';
export const teamsStepSave = 'Select “Send webhook alerts to a channel” and save it.';
export const teamsStepCopy = 'Copy the URL that Teams shows.';
export const telegramDescription = 'A message in a chat or channel';
export const telegramStepBot = 'Write /newbot to @BotFather and copy the token.';
export const telegramStepAdd = 'Add the bot to your group or channel, or write to it.';
export const telegramStepId =
  'A public channel’s ID is its @name. Any other chat has a number: open api.telegram.org/bot<token>/getUpdates after you have written to the bot.';
export const botToken = 'Bot token';
export const chatId = 'Chat ID';
export const chatIdExample = '-1001234567890 or @channel';
export const chatNamed = (id: string): string => `Chat ${id}`;
export const sheetsDescription = 'A row in a spreadsheet';
export const sheetsStepAccount =
  'In the Google Cloud console, enable the Google Sheets API and create a service account.';
export const sheetsStepKey = 'Create a JSON key for the account and paste the contents of the file.';
export const sheetsStepShare =
  'Share the spreadsheet with the e-mail address of the service account, as an editor.';
export const serviceAccountKey = 'Service account key';
export const spreadsheet = 'Spreadsheet';
export const spreadsheetDescription = 'Its link or its ID.';
export const sheet = 'Sheet';
export const sheetExample = 'Sheet1';
export const sheetIn = (sheet: string, spreadsheet: string): string => `${sheet} in ${spreadsheet}`;
