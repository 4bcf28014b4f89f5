import { metadataOf } from '../aggregate-metadata';
import { defineFilter } from './filter';

/** Where an aggregate of the host and the image name the same property, the image's value must be one of the aggregate's. */
export const aggregateImagePropertiesIsolation = defineFilter({
  name: 'AggregateImagePropertiesIsolation',
  codes: { 'aggregate.image_property': 'kept for images with other properties' },
  check(host, { image }, options, reject) {
    const namespace = options.aggregateImagePropertiesIsolationNamespace;
    const prefix = namespace ? namespace + options.aggregateImagePropertiesIsolationSeparator : '';
    for (const [key, values] of metadataOf(host)) {
      const property = image?.properties[key];
      if (!key.startsWith(prefix) || !property || values.has(property)) continue;
      const sentence = `Aggregates of ${host.host} take images with ${key} ${[...values].join(', ')}; this image has ${property}.`;
      return reject('aggregate.image_property', [...values], `${key} ${property}`, sentence);
    }
    return null;
  },
});
