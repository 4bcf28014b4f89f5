import { STATUS_CODES } from 'node:http';
import type { FaultMapper } from '@fractus/http';

/** Glance answers in HTML unless JSON is asked for by name. */
export const imageFaultMapper: FaultMapper = (fault, request) => {
  const title = STATUS_CODES[fault.status] ?? 'Error';
  if (/application\/json/i.test(request?.headers.accept ?? '')) {
    return { body: { message: fault.message, code: `${fault.status} ${title}`, title } };
  }
  const head = `<head><title>${fault.status} ${title}</title></head>`;
  const body = `<html>${head}<body><h1>${fault.status} ${title}</h1>${escapeHtml(fault.message)}<br /><br /></body></html>`;
  return { body, contentType: 'text/html; charset=UTF-8' };
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
