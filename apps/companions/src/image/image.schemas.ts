/** The schemas that Glance clients read before they show or send an image. */
import { CONTAINER_FORMATS, DISK_FORMATS, VISIBILITIES } from './image.dto';

type Schema = Record<string, unknown>;
const text = (more: Schema = {}): Schema => ({ type: ['null', 'string'], ...more });
const fixed = (type: unknown, more: Schema = {}): Schema => ({ type, readOnly: true, ...more });

export const IMAGE_SCHEMA: Schema = {
  name: 'image',
  properties: {
    id: {
      type: 'string',
      pattern: '^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$',
    },
    name: text({ maxLength: 255 }),
    status: fixed('string', { enum: ['queued', 'saving', 'active', 'deactivated'] }),
    visibility: { type: 'string', enum: [...VISIBILITIES] },
    owner: text({ maxLength: 255 }),
    protected: { type: 'boolean' },
    os_hidden: { type: 'boolean' },
    disk_format: text({ enum: [null, ...DISK_FORMATS] }),
    container_format: text({ enum: [null, ...CONTAINER_FORMATS] }),
    size: fixed(['null', 'integer']),
    virtual_size: fixed(['null', 'integer']),
    min_disk: { type: 'integer' },
    min_ram: { type: 'integer' },
    checksum: fixed(['null', 'string'], { maxLength: 32 }),
    os_hash_algo: fixed(['null', 'string'], { maxLength: 64 }),
    os_hash_value: fixed(['null', 'string'], { maxLength: 128 }),
    created_at: fixed('string'),
    updated_at: fixed('string'),
    tags: { type: 'array', items: { type: 'string', maxLength: 255 } },
    self: fixed('string'),
    file: fixed('string'),
    schema: fixed('string'),
  },
  additionalProperties: { type: 'string' },
  links: [
    { href: '{self}', rel: 'self' },
    { href: '{file}', rel: 'enclosure' },
    { href: '{schema}', rel: 'describedby' },
  ],
};

export const MEMBER_SCHEMA: Schema = {
  name: 'member',
  properties: {
    member_id: { type: 'string' },
    image_id: { type: 'string' },
    status: { type: 'string', enum: ['pending', 'accepted', 'rejected'] },
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
    schema: fixed('string'),
  },
};

const listOf = (name: string, item: Schema): Schema => ({
  name,
  properties: {
    [name]: { type: 'array', items: item },
    schema: { type: 'string' },
    ...(name === 'images' ? { first: { type: 'string' }, next: { type: 'string' } } : {}),
  },
});

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  image: IMAGE_SCHEMA,
  images: listOf('images', IMAGE_SCHEMA),
  member: MEMBER_SCHEMA,
  members: listOf('members', MEMBER_SCHEMA),
};
