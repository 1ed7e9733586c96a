/** Returns a backend in the browser's IndexedDB, which the tabs of a browser share. */
export function indexedDBBackend(name) {
    let opening;
    const database = () => {
        opening ??= open(name, () => {
            opening = undefined;
        });
        return opening;
    };
    return {
        name,
        async load() {
            const records = (await database()).transaction("records").objectStore("records");
            // Both requests belong to one transaction, so their lists match.
            const [keys, values] = await Promise.all([
                result(records.getAllKeys()), result(records.getAll()),
            ]);
            return keys.map((key, index) => [String(key), values[index]]);
        },
        async commit(writes) {
            const options = { durability: "strict" };
            // Older declarations of the library lack the third argument.
            const begin = (await database());
            const transaction = begin.transaction("records", "readwrite", options);
            const records = transaction.objectStore("records");
            for (const [key, value] of writes) {
                if (value === undefined)
                    records.delete(key);
                else
                    records.put(value, key);
            }
            await new Promise((resolve, reject) => {
                transaction.oncomplete = () => resolve();
                transaction.onabort = transaction.onerror = () => reject(transaction.error);
            });
        },
    };
}
function open(name, closed) {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open(name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore("records");
        request.onsuccess = () => {
            const database = request.result;
            // Another tab deletes the database, or the browser closed it: the next use opens it again.
            database.onversionchange = () => {
                database.close();
                closed();
            };
            database.onclose = closed;
            resolve(database);
        };
        request.onerror = () => {
            closed();
            reject(request.error);
        };
    });
}
function result(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}
