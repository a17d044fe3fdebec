// Sentences of the program that are known, with what varies in them, so that they can be
// read in the language of the page. Others are shown as they are, in English.

import { t } from './i18n.js';

const phrases = [
  [/^all pages$/, 'say.allpages'],
  [/^pages (?<from>\d+) to (?<to>\d+)$/, 'say.pages'],
  [/^page (?<page>\d+)$/, 'say.page'],
  [/^from page (?<page>\d+) to the last$/, 'say.frompage'],
  [/^pages (?<pages>[\d,-]+), in this order$/, 'say.ranges'],
  [/^none$/, 'say.none'],
  [/^given$/, 'say.given'],
  [/^comments are shown as notes$/, 'say.comments'],
  [/^comments are not shown$/, 'say.nocomments'],
  [/^one text for all pages$/, 'say.longtext'],
  [/^a text for each page$/, 'say.texts'],
  [/^line breaks are kept$/, 'say.breaks'],
  [/^no line breaks$/, 'say.nobreaks'],
  [/^The request is not signed, and need not be\.$/, 'say.unsigned'],
  [/^The request is not signed: set Date, Content-Md5 and Authorization\.$/, 'say.mustsign'],
  [/^The signature is valid\.$/, 'say.valid'],
  [/^Date is near the clock\.$/, 'say.date'],
  [/^Content-Md5 is the MD5 of the body, (?<n>\d+) bytes\.$/, 'say.digest'],
  [/^Authorization has the parts of an app\.$/, 'say.app'],
  [/^Authorization has the parts of a robot\.$/, 'say.robot'],
  [/^The caller is known: (?<name>.*)\.$/, 'say.caller'],
  [/^The signature is the SHA-1 of the parts below\.$/, 'say.signature'],
  [/^The robot has no callback address, so the message was not delivered\. Register one in its settings\.$/, 'say.nocallback'],
  [/^Opened (?<name>.+), version (?<version>\d+), (?<bytes>\d+) bytes\.$/, 'say.opened'],
  [/^Opened version (?<version>\d+), (?<bytes>\d+) bytes\.$/, 'say.openedversion'],
  [/^Saved version (?<version>\d+), (?<bytes>\d+) bytes\.$/, 'say.saved'],
  [/^The history has (?<n>\d+) versions?\.$/, 'say.history'],
  [/^Renamed to (?<name>.+)\.$/, 'say.renamed'],
  [/^A token for (?<life>[\dhms]+)\.$/, 'say.token'],
  [/^It is not a JWT, which protocol 2\.11 says that it is\.$/, 'say.notjwt'],
];

// say returns the text of a known sentence, or null.
export function say(sentence) {
  for (const [pattern, key] of phrases) {
    const found = pattern.exec(sentence);
    if (!found) continue;
    const values = { ...found.groups };
    if ('n' in values) values.n = Number(values.n);
    return t(key, values);
  }
  return null;
}
