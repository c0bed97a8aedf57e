import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func isGenuine(rawBody []byte, signature, previous, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	expected := []byte("sha256=" + hex.EncodeToString(mac.Sum(nil)))
	return hmac.Equal(expected, []byte(signature)) || hmac.Equal(expected, []byte(previous))
}
